import type { Store } from '../../store/store.ts';
import type { AdmissionPlugin } from '../admission/admission.ts';
import type { ClusterApi } from '../cluster-api.ts';

/** What the verbs stand on. One per cluster. */
export interface VerbDeps {
  readonly store: Store;
  readonly api: ClusterApi;
  readonly plugins: readonly AdmissionPlugin[];
}
