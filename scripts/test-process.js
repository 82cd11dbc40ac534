// Loaded into every process of tests before its file.
import '../bin/quick-resolve.js';

// A process that ends at once when its tests are done would take with it what the runner has not read yet, failures included.
process.stdout._handle?.setBlocking?.(true);
