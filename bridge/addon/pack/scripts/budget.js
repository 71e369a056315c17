// How long this pack may hold one tick, all requests together.

import { system } from "@minecraft/server";
import { TICK_BUDGET } from "./constants.js";

let tick = -1;
let end = 0;

/** Returns until when work may go on in this tick, as of Date.now. */
export function deadline() {
  if (system.currentTick !== tick) {
    tick = system.currentTick;
    end = Date.now() + TICK_BUDGET;
  }
  return end;
}

/** Reports whether this tick's time is used up. */
export function isSpent() {
  return Date.now() > deadline();
}
