// The entry of the pack.

import { keepBridgePlayer } from "./bridgeplayer.js";
import { readRegion } from "./capabilities/read_region.js";
import { regionDigest } from "./capabilities/region_digest.js";
import { regionEntities } from "./capabilities/region_entities.js";
import { runWorldCommand } from "./capabilities/run_world_command.js";
import { inventorySnapshot, playerSnapshot } from "./capabilities/snapshots.js";
import { watchChanges, worldChanges } from "./capabilities/world_changes.js";
import { worldHello } from "./capabilities/world_hello.js";
import { registerCommands } from "./commands.js";
import { registerBridgeRouter, registerCapability } from "./router.js";
import { registerTextResponses } from "./textresponses.js";

registerCapability("world_hello", worldHello);
registerCapability("run_world_command", runWorldCommand);
registerCapability("read_region", readRegion);
registerCapability("region_digest", regionDigest);
registerCapability("region_entities", regionEntities);
registerCapability("world_changes", worldChanges);
registerCapability("get_player_snapshot", playerSnapshot);
registerCapability("get_inventory_snapshot", inventorySnapshot);

registerCommands();
registerBridgeRouter();
registerTextResponses();
watchChanges();
keepBridgePlayer();
