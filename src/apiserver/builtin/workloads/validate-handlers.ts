import type { FieldError } from '../../../api/field-error.ts';
import { at, forbidden, invalid, notSupported, required } from '../../../api/field-error.ts';
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from '../../../api/kubernetes.ts';
import { isHttpHeaderName, isValidPortName, isValidPortNum } from '../../../api/names.ts';
import { pushInvalid, pushNegative } from './invalid-value.ts';

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>;

function validateHandler(handler: Handler, gracePeriod: number | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  let found = 0;
  const check = (name: keyof Handler, validate: (own: string) => void) => {
    if (!handler[name]) return;
    const own = at.child(path, name);
    if (found++ > 0) errors.push(forbidden(own, 'may not specify more than 1 handler type'));
    else validate(own);
  };
  check('exec', own => {
    if (!handler.exec!.command?.length) errors.push(required(at.child(own, 'command')));
  });
  check('httpGet', own => validateHttpGet(handler.httpGet!, own, errors));
  check('tcpSocket', own => validatePort(handler.tcpSocket!.port, at.child(own, 'port'), errors));
  check('grpc', own => validatePort(handler.grpc!.port, at.child(own, 'port'), errors));
  check('sleep', own => {
    const { seconds } = handler.sleep!;
    if (gracePeriod !== undefined && (seconds < 0 || seconds > gracePeriod))
      errors.push(invalid(own, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`));
  });
  if (found === 0) errors.push(required(path, 'must specify a handler type'));
  return errors;
}

const schemes = ['HTTP', 'HTTPS'];

function validateHttpGet(action: HTTPGetAction, path: string, errors: FieldError[]): void {
  if (!action.path) errors.push(required(at.child(path, 'path')));
  validatePort(action.port, at.child(path, 'port'), errors);
  if (!schemes.includes(action.scheme ?? '')) errors.push(notSupported(at.child(path, 'scheme'), action.scheme ?? '', schemes));
  for (const { name } of action.httpHeaders ?? []) pushInvalid(errors, at.child(path, 'httpHeaders'), name, isHttpHeaderName(name));
}

function validatePort(port: string | number, path: string, errors: FieldError[]): void {
  const messages = typeof port === 'number' ? isValidPortNum(port) : isValidPortName(port ?? '');
  for (const message of messages) errors.push(invalid(path, port, message));
}

export function validateLifecycle(lifecycle: Lifecycle, gracePeriod: number | undefined, path: string, errors: FieldError[]): void {
  if (lifecycle.postStart) errors.push(...validateHandler(lifecycle.postStart, gracePeriod, at.child(path, 'postStart')));
  if (lifecycle.preStop) errors.push(...validateHandler(lifecycle.preStop, gracePeriod, at.child(path, 'preStop')));
}

export interface Probed {
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

export function validateProbes(probed: Probed, gracePeriod: number | undefined, path: string, errors: FieldError[]): void {
  const { livenessProbe, readinessProbe, startupProbe } = probed;
  if (livenessProbe) validateOnceProbe(livenessProbe, gracePeriod, at.child(path, 'livenessProbe'), errors);
  if (readinessProbe) {
    const own = at.child(path, 'readinessProbe');
    validateProbe(readinessProbe, gracePeriod, own, errors);
    if (readinessProbe.terminationGracePeriodSeconds !== undefined)
      errors.push(
        invalid(
          at.child(own, 'terminationGracePeriodSeconds'),
          readinessProbe.terminationGracePeriodSeconds,
          'must not be set for readinessProbes',
        ),
      );
  }
  if (startupProbe) validateOnceProbe(startupProbe, gracePeriod, at.child(path, 'startupProbe'), errors);
}

function validateOnceProbe(probe: Probe, gracePeriod: number | undefined, path: string, errors: FieldError[]): void {
  validateProbe(probe, gracePeriod, path, errors);
  const threshold = probe.successThreshold ?? 0;
  if (threshold !== 1) errors.push(invalid(at.child(path, 'successThreshold'), threshold, 'must be 1'));
}

const counters = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const;

function validateProbe(probe: Probe, gracePeriod: number | undefined, path: string, errors: FieldError[]): void {
  errors.push(...validateHandler(probe, gracePeriod, path));
  for (const name of counters) pushNegative(errors, at.child(path, name), probe[name]);
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0)
    errors.push(invalid(at.child(path, 'terminationGracePeriodSeconds'), grace, 'must be greater than 0'));
}
