// Requests come as script events and are answered by the simulated player.

import { system } from "@minecraft/server";
import { isSpent } from "./budget.js";
import { isReady, say, whenReady } from "./bridgeplayer.js";
import { chatJson, chunkBridgePayload } from "./chunks.js";
import { BRIDGE_REQUEST, EARLY_REQUESTS, ErrorCode, NAMESPACE, REQUEST_VERSIONS } from "./constants.js";

/**
 * What a capability knows beside its payload.
 * @typedef {{source: import("@minecraft/server").Entity | undefined}} Context
 */
/**
 * A capability returns its result, or a generator that returns it: the game runs that as a job over
 * several ticks.
 * @typedef {(payload: Record<string, any>, context: Context) => unknown} Capability
 */

/** A request that cannot be done; its message goes to the service. */
export class RequestError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** @type {Map<string, Capability>} */
const capabilities = new Map();

/**
 * Adds a capability.
 * @param {string} name
 * @param {Capability} handler
 */
export function registerCapability(name, handler) {
  capabilities.set(name, handler);
}

/** Listens for requests of any source type: over a WebSocket the source is the player, not the server. */
export function registerBridgeRouter() {
  /** @type {Array<{message: string, sourceEntity: import("@minecraft/server").Entity | undefined}>} */
  let early = [];
  system.afterEvents.scriptEventReceive.subscribe(
    (event) => {
      if (event.id !== BRIDGE_REQUEST) return;
      if (isReady()) handle(event.message, event.sourceEntity);
      else if (early.length < EARLY_REQUESTS) early.push({ message: event.message, sourceEntity: event.sourceEntity });
      else console.warn("groundplan: BRIDGE_NOT_READY_QUEUE_FULL, a request was dropped");
    },
    { namespaces: [NAMESPACE] },
  );
  whenReady(() => {
    const events = early;
    early = [];
    for (const event of events) handle(event.message, event.sourceEntity);
  });
}

/**
 * @param {string} message
 * @param {import("@minecraft/server").Entity | undefined} source
 */
function handle(message, source) {
  let id = "";
  try {
    const request = parse(message, (known) => (id = known));
    const capability = capabilities.get(request.capability);
    if (!capability) throw new RequestError(ErrorCode.unsupportedCapability, `no capability ${request.capability}`);
    const result = capability(request.payload ?? {}, { source });
    if (isJob(result)) begin(id, result);
    else answer(id, { ok: true, result });
  } catch (error) {
    answer(id, failure(error));
  }
}

/**
 * Reads a request. A version that is missing is the first one, which had no such field.
 * @param {string} message
 * @param {(id: string) => void} known is told the request's id as soon as it is known
 * @returns {{capability: string, payload?: Record<string, any>}}
 */
function parse(message, known) {
  let request;
  try {
    request = JSON.parse(message);
  } catch (error) {
    known(/"request_id"\s*:\s*"([^"|\\]{1,64})"/.exec(message)?.[1] ?? "");
    throw new RequestError(ErrorCode.malformedJson, String(error));
  }
  if (!isRecord(request)) throw new RequestError(ErrorCode.invalidRequest, "the request is not an object");
  const { v = 1, request_id: id, capability, payload } = request;
  if (typeof id !== "string" || id === "" || id.includes("|")) {
    throw new RequestError(ErrorCode.invalidRequest, "request_id must be a text without |");
  }
  known(id);
  if (!REQUEST_VERSIONS.includes(v)) throw new RequestError(ErrorCode.unsupportedVersion, `no request version ${v}`);
  if (typeof capability !== "string" || capability === "") {
    throw new RequestError(ErrorCode.invalidRequest, "capability must be a text");
  }
  if (payload !== undefined && !isRecord(payload)) {
    throw new RequestError(ErrorCode.invalidRequest, "payload must be an object");
  }
  return /** @type {any} */ (request);
}

/** @param {any} value */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {any} value
 * @returns {value is Generator<void, unknown, void>}
 */
function isJob(value) {
  return typeof value === "object" && value !== null && typeof value.next === "function";
}

/**
 * Takes the first step of a job, which is often the last: only what needs more waits for a tick.
 * @param {string} id
 * @param {Generator<void, unknown, void>} job
 */
function begin(id, job) {
  const { done, value } = isSpent() ? { done: false, value: undefined } : job.next();
  if (done) answer(id, { ok: true, result: value });
  else system.runJob(finish(id, job));
}

/**
 * @param {string} id
 * @param {Generator<void, unknown, void>} job
 */
function* finish(id, job) {
  try {
    answer(id, { ok: true, result: yield* job });
  } catch (error) {
    answer(id, failure(error));
  }
}

/** @param {unknown} error */
function failure(error) {
  const code = error instanceof RequestError ? error.code : ErrorCode.capabilityFailed;
  const message = error instanceof Error ? error.message : String(error);
  return { ok: false, error: { code, message: message.slice(0, 1000) } };
}

/**
 * @param {string} id
 * @param {unknown} body
 */
function answer(id, body) {
  if (id === "") {
    // Nobody waits under an empty id, and a chunk cannot carry one.
    console.warn(`groundplan: a request without an id failed: ${chatJson(body)}`);
    return;
  }
  try {
    say(chunkBridgePayload(id, chatJson(body)));
  } catch (error) {
    console.warn(`groundplan: the answer to ${id} could not be sent: ${error}`);
    const refusal = failure(new RequestError(ErrorCode.responseSendFailed, String(error).slice(0, 100)));
    try {
      say(chunkBridgePayload(id, chatJson(refusal)));
    } catch (again) {
      console.warn(`groundplan: nor could the failure: ${again}`);
    }
  }
}
