// Plays the game with mcpews: connects to the bridge as often as it is told, one
// connection after the other, and prints what it saw as one line of JSON.
import crypto from "node:crypto";
import { Version, WSClient } from "mcpews";

const [url, count] = [process.argv[2], Number(process.argv[3])];
const seen = { connections: 0, encrypted: 0, byCommand: 0, legacyEvents: 0, leadingZero: 0, errors: [] };

// Every tenth connection tries 150 keys for a shared secret that begins with a
// zero, where implementations part; by chance it is one in 256.
let serverKey = null;
let wantZero = false;
const createECDH = crypto.createECDH;
crypto.createECDH = (curve) => {
  const ecdh = createECDH(curve);
  const compute = ecdh.computeSecret.bind(ecdh);
  const generate = ecdh.generateKeys.bind(ecdh);
  ecdh.generateKeys = () => {
    for (let tries = 0; ; tries++) {
      const key = generate();
      if (!wantZero || tries === 150 || compute(serverKey)[0] === 0) return key;
    }
  };
  ecdh.computeSecret = (key) => {
    const secret = compute(key);
    if (secret[0] === 0) seen.leadingZero++;
    return secret;
  };
  return ecdh;
};

function answer(request, number) {
  switch (request.capability) {
    case "world_hello":
      return {
        protocol: 1, addon: "interop", game: "1.26.50", api: "2.6.0", world_id: "w", world_epoch: "e", session: `s${number}`,
        player: "Node", dimensions: { overworld: { min: -64, max: 319 } }, ids: { count: 0, pages: 0, digest: "" },
      };
    case "run_world_command":
      return { success_count: request.payload.command.length };
    case "echo":
      return { text: request.payload.text.repeat(request.payload.times) };
    case "goodbye":
      return {};
  }
}

function reply(client, request, number) {
  const result = answer(request, number);
  const body = result
    ? { ok: true, result }
    : { ok: false, error: { code: "UNSUPPORTED_CAPABILITY", message: request.capability } };
  const points = [...JSON.stringify(body)];
  const total = Math.ceil(points.length / 256);
  for (let i = 0; i < total; i++) {
    const slice = points.slice(i * 256, (i + 1) * 256).join("");
    const message = `MCBEWS|BRIDGE|${request.request_id}|${i + 1}/${total}|${slice}`;
    client.publishEvent("PlayerMessage", { message, receiver: "", sender: "MCBEWS_BRIDGE", type: "tell" });
  }
}

function connect(number) {
  return new Promise((resolve) => {
    const legacy = number % 2 === 1;
    const byCommand = number % 3 === 2;
    wantZero = number % 10 === 7;
    const client = new WSClient(url, legacy ? undefined : Version.V1_1_0);
    client.on("message", (frame) => {
      if (frame.purpose === "ws:encrypt") {
        client.refused = frame.requestId;
        serverKey = Buffer.from(frame.body.publicKey, "base64").subarray(-97);
      } else if (frame.body?.commandLine?.startsWith("enableencryption ")) {
        serverKey = Buffer.from(JSON.parse(frame.body.commandLine.split(" ")[1]), "base64").subarray(-97);
      }
    });
    client.on("encryptRequest", (request) => {
      if (!byCommand) return;
      request.cancel();
      client.sendError(-2147418111, "unknown purpose", client.refused);
    });
    client.on("command", (command) => {
      const line = command.commandLine;
      if (line.startsWith("enableencryption ")) {
        command.handleEncryptionHandshake();
        seen.byCommand++;
      } else if (line.startsWith("scriptevent mcbews:bridge_req ")) {
        const request = JSON.parse(line.slice("scriptevent mcbews:bridge_req ".length));
        command.respond({ statusCode: 0 });
        reply(client, request, number);
        if (request.capability === "goodbye") client.disconnect();
      } else {
        command.respond({ statusCode: 0, statusMessage: "" });
      }
    });
    client.on("error", (error) => seen.errors.push(`${number}: ${error}`));
    client.socket.on("error", (error) => seen.errors.push(`${number}: ${error}`));
    client.on("disconnect", () => {
      seen.connections++;
      if (client.isEncrypted()) seen.encrypted++;
      if (legacy) seen.legacyEvents++;
      resolve();
    });
  });
}

for (let number = 0; number < count; number++) await connect(number);
console.log(JSON.stringify(seen));
