export const gatePhases = ['Pending', 'Running', 'Successful', 'Failed', 'Error', 'Inconclusive'] as const;
/** Where a gate is. Those after `Running` are its end; `Inconclusive` is one that a person must look at. */
export type GatePhase = (typeof gatePhases)[number];

export const isGateOver = (phase: GatePhase): boolean => phase !== 'Pending' && phase !== 'Running';
