import type { WebHandler } from '../apiserver/http/https-server.ts';

/** What certainly belongs to the Kubernetes API. Of everything else the gateway knows whose it is: the address of a trigger must not be unknown for a second. */
const apiPath =
  /^\/(?:$|api$|api\/v1(?:\/|$)|apis(?:\/|$)|openapi\/|(?:version|healthz|livez|readyz|metrics)(?:\/|$)|\.well-known\/|openid\/)/;

/** Serves the API from the first moment; everything else waits until the gateway has been loaded. */
export function gatewayFront(api: WebHandler, loading: Promise<WebHandler>): WebHandler {
  let gateway: WebHandler | undefined;
  loading.then(
    loaded => (gateway = loaded),
    () => {},
  );
  const pathOf = (url: string | undefined) => (url ?? '').split('?', 1)[0]!;
  const isEarly = (url: string | undefined) => !gateway && !apiPath.test(pathOf(url));
  return {
    handle(req, res) {
      if (!isEarly(req.url)) return (gateway ?? api).handle(req, res);
      loading.then(
        loaded => loaded.handle(req, res),
        () => res.destroy(),
      );
    },
    wantsUpgrade: req => (isEarly(req.url) ? true : (gateway ?? api).wantsUpgrade(req)),
    upgrade(req, socket, head) {
      if (!isEarly(req.url)) return (gateway ?? api).upgrade(req, socket, head);
      loading.then(
        loaded => (loaded.wantsUpgrade(req) ? loaded.upgrade(req, socket, head) : void socket.destroy()),
        () => void socket.destroy(),
      );
    },
  };
}
