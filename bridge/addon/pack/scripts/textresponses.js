// Text that the service sends to players.

import { system, world } from "@minecraft/server";
import { NAMESPACE, TEXT_RESPONSE } from "./constants.js";
import { Reassembly } from "./textframes.js";

const colours = { assistant: "§b", user: "§7", approval: "§e" };

/** Listens for text frames and shows complete messages. */
export function registerTextResponses() {
  const reassembly = new Reassembly();
  system.afterEvents.scriptEventReceive.subscribe(
    (event) => {
      if (event.id !== TEXT_RESPONSE) return;
      try {
        const message = reassembly.add(event.message, Date.now());
        if (message) show(message);
      } catch (error) {
        console.warn(`groundplan: a text frame was dropped: ${error}`);
      }
    },
    { namespaces: [NAMESPACE] },
  );
}

/** @param {import("./textframes.js").Message} message */
function show({ player, role, text, title }) {
  const colour = colours[/** @type {keyof typeof colours} */ (role)];
  const line = `${colour}[${title ?? "groundplan"}]§r ${text}`;
  for (const p of world.getAllPlayers()) {
    if (p.name === player || player === "@a") p.sendMessage(line);
  }
}
