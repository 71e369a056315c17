// The commands that players have. They can only be registered while the game starts, and their
// parameters must never change: what they do with a text can.

import { CommandPermissionLevel, CustomCommandParamType, CustomCommandStatus, Player, system } from "@minecraft/server";
import { allowCommand } from "./capabilities/run_world_command.js";
import { newEpoch } from "./capabilities/world_hello.js";
import { openPanel, sendUiChat } from "./chat.js";
import { OWN } from "./constants.js";
import { fillStates, wanted } from "./owncommands.js";

/**
 * Runs something that changes the world: commands themselves may not.
 * @param {() => void} action
 */
function later(action) {
  system.run(() => {
    try {
      action();
    } catch (error) {
      console.warn(`groundplan: ${error}`);
    }
  });
  return { status: CustomCommandStatus.Success };
}

/**
 * @param {string} message
 * @returns {import("@minecraft/server").CustomCommandResult}
 */
function refuse(message) {
  return { status: CustomCommandStatus.Failure, message };
}

/** Registers the commands. */
export function registerCommands() {
  system.beforeEvents.startup.subscribe(({ customCommandRegistry: registry }) => {
    registry.registerCommand(
      {
        name: `${OWN}:chat`,
        description: "Says something to groundplan; without a message, opens a panel.",
        permissionLevel: CommandPermissionLevel.Any,
        cheatsRequired: false,
        optionalParameters: [{ name: "message", type: CustomCommandParamType.String }],
      },
      (origin, message) => {
        const player = origin.sourceEntity;
        if (!(player instanceof Player)) return refuse("only players can chat");
        return later(() => (message ? sendUiChat(player.name, message) : openPanel(player)));
      },
    );
    registry.registerCommand(
      {
        name: `${OWN}:allow`,
        description: "Lets groundplan use one more command in this world.",
        permissionLevel: CommandPermissionLevel.Host,
        mandatoryParameters: [{ name: "command", type: CustomCommandParamType.String }],
      },
      (_origin, command) =>
        later(() => {
          if (!allowCommand(command)) console.warn(`groundplan: the command ${command} cannot be allowed`);
        }),
    );
    registry.registerCommand(
      {
        name: `${OWN}:new_epoch`,
        description: "Tells groundplan that this world was restored from a backup: its old plans do not apply any more.",
        permissionLevel: CommandPermissionLevel.Host,
      },
      () => later(newEpoch),
    );
    registerFill(registry);
  });
}

/** @param {import("@minecraft/server").CustomCommandRegistry} registry */
function registerFill(registry) {
  const { Boolean, Location, String } = CustomCommandParamType;
  registry.registerCommand(
    {
      name: `${OWN}:fill`,
      description: "Fills a box with a block and its water layer, where it holds another block and its water layer.",
      permissionLevel: CommandPermissionLevel.GameDirectors,
      mandatoryParameters: [
        { name: "from", type: Location },
        { name: "to", type: Location },
        { name: "block", type: String },
        { name: "water", type: Boolean },
      ],
      optionalParameters: [
        { name: "before", type: String },
        { name: "beforeWater", type: Boolean },
      ],
    },
    (origin, from, to, block, water, before, beforeWater) => {
      const dimension = origin.sourceEntity?.dimension ?? origin.sourceBlock?.dimension;
      if (!dimension) return refuse("a player or a block must run this");
      const corners = [from, to].flatMap(({ x, y, z }) => [x, y, z].map(Math.floor));
      return later(() => {
        fillStates(dimension, corners, wanted(block, `${water}`), before ? wanted(before, `${beforeWater ?? false}`) : undefined);
      });
    },
  );
}
