// run_world_command: a command of the allow-list, run in a dimension; in the overworld unless it says
// another one, wherever the player is.

import { world } from "@minecraft/server";
import { ErrorCode, OWN } from "../constants.js";
import { ownCommand } from "../owncommands.js";
import { dimensionOf } from "../region.js";
import { RequestError } from "../router.js";

/** What the service needs. The host of the world may add to it, see allowCommand. */
const ALLOWED = ["fill", "setblock", "testforblock", "structure", "tickingarea"];
/** What nobody can add: commands that hand the world, or its players, to somebody else. */
const DENIED = new Set(["op", "deop", "kick", "stop", "reload", "wsserver", "connect", "script", "scriptevent", "execute", "function", "permission", "allowlist", "changesetting", "transfer"]);
const PROPERTY = `${OWN}:allow`;

/** @type {Set<string> | undefined} */
let allowed;

function allowList() {
  if (!allowed) {
    const added = String(world.getDynamicProperty(PROPERTY) ?? "");
    allowed = new Set([...ALLOWED, ...added.split(",").filter(isAllowable)]);
  }
  return allowed;
}

/** @param {string} name */
function isAllowable(name) {
  return /^[a-z_]{1,32}$/.test(name) && !DENIED.has(name);
}

/**
 * Adds a command to the list that this world allows, for good. Returns false for one that nobody may add.
 * @param {string} name
 */
export function allowCommand(name) {
  if (!isAllowable(name)) return false;
  const list = allowList().add(name);
  world.setDynamicProperty(PROPERTY, [...list].filter((n) => !ALLOWED.includes(n)).join(","));
  return true;
}

/** @type {import("../router.js").Capability} */
export function runWorldCommand({ command }) {
  if (typeof command !== "string" || command === "") {
    throw new RequestError(ErrorCode.invalidRequest, "command must be a text");
  }
  let text = command.charCodeAt(0) === 47 ? command.slice(1) : command;
  let dimension = dimensionOf("overworld");
  if (text.startsWith("execute in ")) {
    const end = text.indexOf(" run ");
    if (end < 0) throw new RequestError(ErrorCode.capabilityFailed, "of execute only the form: execute in DIMENSION run COMMAND");
    dimension = dimensionOf(text.slice(11, end));
    text = text.slice(end + 5);
  }
  const space = text.indexOf(" ");
  const name = space < 0 ? text : text.slice(0, space);
  if (name.startsWith(`${OWN}:`)) return { success_count: ownCommand(dimension, name, text.slice(name.length + 1)) };
  if (!allowList().has(name)) throw new RequestError(ErrorCode.capabilityFailed, `the command ${name} is not allowed here`);
  return { success_count: dimension.runCommand(text).successCount };
}
