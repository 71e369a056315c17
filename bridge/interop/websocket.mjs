import { WebSocket as Plain, WebSocketServer } from "ws";

export class WebSocket extends Plain {
  constructor(address) {
    super(address, "com.microsoft.minecraft.wsencrypt");
  }
}

export { WebSocketServer };
