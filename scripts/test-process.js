// Loaded into every process of tests before its file.
import '../bin/quick-resolve.js';

// A process that ends at once when its tests are done would take with it what the runner has not read yet, failures included.
process.stdout._handle?.setBlocking?.(true);

// Nor does it end while a test waits for what would not keep it alive by itself: a watch, a tunnel.
setInterval(() => {}, 60_000);
