// The entry of the pack.

import { keepBridgePlayer } from "./bridgeplayer.js";
import { readRegion } from "./capabilities/read_region.js";
import { runWorldCommand } from "./capabilities/run_world_command.js";
import { worldHello } from "./capabilities/world_hello.js";
import { registerBridgeRouter, registerCapability } from "./router.js";

registerCapability("world_hello", worldHello);
registerCapability("run_world_command", runWorldCommand);
registerCapability("read_region", readRegion);

registerBridgeRouter();
keepBridgePlayer();
