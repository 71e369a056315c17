// What players say to the service: in a panel, or behind a command.

import { system } from "@minecraft/server";
import { ModalFormData } from "@minecraft/server-ui";
import { say } from "./bridgeplayer.js";
import { chatJson, chunkUiChatPayload } from "./chunks.js";

let count = 0;

/**
 * Sends a message of a player to the service.
 * @param {string} player
 * @param {string} message
 */
export function sendUiChat(player, message) {
  count++;
  say(chunkUiChatPayload(`ui-${Date.now()}-${count}`, chatJson({ player, message })));
}

/**
 * Opens the panel. A player who is typing in the chat still sees that; so it is tried again until the
 * player can see it, for ten seconds.
 * @param {import("@minecraft/server").Player} player
 * @param {number} [tries]
 */
export function openPanel(player, tries = 10) {
  const form = new ModalFormData().title("groundplan").textField("Message", "What shall be built?");
  form.show(player).then(
    ({ canceled, cancelationReason, formValues }) => {
      if (canceled) {
        if (cancelationReason === "UserBusy" && tries > 1) system.runTimeout(() => openPanel(player, tries - 1), 20);
        return;
      }
      const message = String(formValues?.[0] ?? "").trim();
      if (message === "") return;
      sendUiChat(player.name, message);
      player.sendMessage(`§7[groundplan] ${message}`);
    },
    (error) => console.warn(`groundplan: the panel failed: ${error}`),
  );
}
