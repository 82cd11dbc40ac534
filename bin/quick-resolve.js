// The modules of Drover name each other by relative paths with their endings, so nothing has to be looked for. There are hundreds of them at every
// start, and looking is a third of the time that loading them takes.
import { registerHooks } from 'node:module';

const http = new URL('quick-http.js', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:http') return { url: http, format: 'module', shortCircuit: true };
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts') || !context.parentURL?.startsWith('file:'))
      return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true };
  },
});
