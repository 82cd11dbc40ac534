/** The keys a log line may have; a new one is added here first. */
export interface LogFields {
  controller?: string;
  cluster?: string;
  kind?: string;
  ns?: string;
  name?: string;
  uid?: string;
  rv?: string;
  peer?: string;
  durationMs?: number;
  err?: unknown;
}

type Level = 'debug' | 'info' | 'warn' | 'error';

let sink: (line: string) => void = line => void process.stderr.write(line);

/** Sends the lines elsewhere: for a program whose standard error a person reads. */
export function sendLogTo(write: (line: string) => void): void {
  sink = write;
}

function write(level: Level, message: string, fields: LogFields = {}): void {
  const { err, ...rest } = fields;
  const error = err instanceof Error ? err.message : err;
  const stack = err instanceof Error && process.env.DROVER_DEBUG ? { stack: err.stack } : {};
  try {
    sink(
      `${JSON.stringify({ time: new Date().toISOString(), level, message, ...rest, ...(error !== undefined && { err: error }), ...stack })}\n`,
    );
  } catch {
    // Nobody fails because a disk is full: many who log have nobody above them who would catch that.
  }
}

/** JSON lines on stderr: a constant message and fields. */
export const log = {
  debug: (message: string, fields?: LogFields) => {
    if (process.env.DROVER_DEBUG) write('debug', message, fields);
  },
  info: (message: string, fields?: LogFields) => write('info', message, fields),
  warn: (message: string, fields?: LogFields) => write('warn', message, fields),
  error: (message: string, fields?: LogFields) => write('error', message, fields),
};
