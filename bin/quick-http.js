// node:http without its WebSocket client: importing the module by name would load that as well, which takes longer than all the rest of it.
const http = process.getBuiltinModule('node:http');

// oxlint-disable-next-line import/no-default-export -- node:http has one
export default http;
export const { Agent, ClientRequest, IncomingMessage, METHODS, OutgoingMessage, STATUS_CODES, Server, ServerResponse } = http;
export const { createServer, get, globalAgent, maxHeaderSize, request, validateHeaderName, validateHeaderValue } = http;
