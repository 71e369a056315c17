// mcpews connects without offering encryption, which a game always does. This
// hook gives it a WebSocket that offers it, and nothing else.
import { register } from "node:module";

register(
  "data:text/javascript," +
    encodeURIComponent(`
      const shim = ${JSON.stringify(new URL("./websocket.mjs", import.meta.url).href)};
      export async function resolve(specifier, context, next) {
        return specifier === "ws" && context.parentURL?.includes("/mcpews/")
          ? { url: shim, shortCircuit: true }
          : next(specifier, context);
      }`),
);
