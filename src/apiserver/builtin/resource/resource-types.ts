import type { Condition, NodeSelector } from '../../../api/kubernetes.ts';

// The parts of resource.k8s.io that validation reads; quantities are texts here, as in every stored object.

export interface Configuration {
  opaque?: { driver?: string; parameters?: unknown };
  requests?: string[];
  source?: string;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

export interface ExactRequest {
  name?: string;
  deviceClassName?: string;
  selectors?: { cel?: { expression?: string } }[];
  allocationMode?: string;
  count?: number;
  adminAccess?: boolean;
  tolerations?: Toleration[];
}

export interface DeviceRequest {
  name?: string;
  exactly?: ExactRequest;
  firstAvailable?: ExactRequest[];
}

export interface DeviceClaim {
  requests?: DeviceRequest[];
  constraints?: { requests?: string[]; matchAttribute?: string; distinctAttribute?: string }[];
  config?: Configuration[];
}

export interface ClaimSpec {
  devices?: DeviceClaim;
}

export interface AllocatedDevice {
  request?: string;
  driver?: string;
  pool?: string;
  device?: string;
  shareID?: string;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  conditions?: Condition[];
  data?: unknown;
  networkData?: { interfaceName?: string; hardwareAddress?: string; ips?: string[] };
}

export interface AllocationResult {
  devices?: { results?: AllocatedDevice[]; config?: Configuration[] };
  nodeSelector?: NodeSelector;
}

export interface ClaimStatus {
  allocation?: AllocationResult;
  reservedFor?: { resource?: string; name?: string; uid?: string }[];
  devices?: AllocatedDevice[];
}

export interface RequestPolicy {
  default?: string;
  validValues?: string[];
  validRange?: { min?: string; max?: string; step?: string };
}

export interface Device {
  name?: string;
  attributes?: Record<string, Record<string, unknown>>;
  capacity?: Record<string, { value?: string; requestPolicy?: RequestPolicy }>;
  allowMultipleAllocations?: boolean;
  taints?: { key?: string; value?: string; effect?: string; timeAdded?: string }[];
  consumesCounters?: { counterSet?: string; counters?: Record<string, unknown> }[];
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
}

export interface SliceSpec {
  driver?: string;
  pool?: { name?: string; generation?: number; resourceSliceCount?: number };
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
  perDeviceNodeSelection?: boolean;
  devices?: Device[];
  sharedCounters?: { name?: string; counters?: Record<string, unknown> }[];
}
