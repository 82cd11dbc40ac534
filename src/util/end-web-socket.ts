import type { WebSocket } from 'ws';

const longestReasonBytes = 123;

/** Says goodbye, and cuts the connection when the other side does not answer: it may be long gone. */
export function endWebSocket(webSocket: WebSocket, code: number, reason: string, farewellMs = 2000): void {
  webSocket.close(code, shorten(reason));
  if (webSocket.readyState === webSocket.CLOSED) return;
  const timer = setTimeout(() => webSocket.terminate(), farewellMs);
  webSocket.once('close', () => clearTimeout(timer));
}

/** As much as a close frame holds, without half a character at its end. */
export function shorten(reason: string): string {
  let text = reason.toWellFormed();
  while (Buffer.byteLength(text) > longestReasonBytes) text = [...text].slice(0, -1).join('');
  return text;
}
