// The modules of Drover name each other by relative paths with their endings, so nothing has to be looked for. There are hundreds of them at every
// start, and looking is a third of the time that loading them takes.
import { registerHooks } from 'node:module';

const http = new URL('quick-http.js', import.meta.url).href;
/** `.mjs` are the files of a program that was put together. */
const formats = { '.ts': 'module-typescript', '.mjs': 'module' };
/** The modules of a package; others that end with `.js` may be of either kind. */
const compiled = new URL('../lib/', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:http') return { url: http, format: 'module', shortCircuit: true };
    const ending = specifier.slice(specifier.lastIndexOf('.'));
    const format = ending === '.js' && context.parentURL?.startsWith(compiled) ? 'module' : formats[ending];
    if (!format || !specifier.startsWith('.') || !context.parentURL?.startsWith('file:')) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true };
  },
});
