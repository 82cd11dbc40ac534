import type { WebHandler } from '../apiserver/http/https-server.ts';

/** What belongs to the gateway; it knows the rest of its routes itself. */
const gatewayPath = /^\/(?:k8s\/|v[13](?:-public)?(?:\/|$)|verify-auth$|charts\/|audit\/|admission\/|ui(?:\/|$)|(?:ping|rancherversion)$)/;

/** Serves the API from the first moment; requests for the gateway wait until it has been loaded. */
export function gatewayFront(api: WebHandler, loading: Promise<WebHandler>): WebHandler {
  let gateway: WebHandler | undefined;
  loading.then(
    loaded => (gateway = loaded),
    () => {},
  );
  const pathOf = (url: string | undefined) => (url ?? '').split('?', 1)[0]!;
  const isEarly = (url: string | undefined) => !gateway && gatewayPath.test(pathOf(url));
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
