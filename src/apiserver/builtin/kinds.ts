import {
  mutatingAdmissionPolicyBindingKind,
  mutatingAdmissionPolicyKind,
  validatingAdmissionPolicyBindingKind,
  validatingAdmissionPolicyKind,
} from './admissionregistration/admission-policies.ts';
import { mutatingWebhookConfigurationKind, validatingWebhookConfigurationKind } from './admissionregistration/webhook-configurations.ts';
import { apiServiceKind } from './apiregistration/api-service.ts';
import { horizontalPodAutoscalerKind } from './autoscaling/horizontal-pod-autoscaler.ts';
import type { BuiltinKinds } from './builtin-kind.ts';
import { certificateSigningRequestKind } from './certificates/certificate-signing-request.ts';
import { leaseKind } from './coordination/lease.ts';
import { configMapKind } from './core/config-map.ts';
import { endpointsKind } from './core/endpoints.ts';
import { coreEventKind, eventKind } from './core/event.ts';
import { limitRangeKind } from './core/limit-range.ts';
import { namespaceKind } from './core/namespace.ts';
import { nodeKind } from './core/node.ts';
import { persistentVolumeClaimKind } from './core/persistent-volume-claim.ts';
import { persistentVolumeKind } from './core/persistent-volume.ts';
import { resourceQuotaKind } from './core/resource-quota.ts';
import { secretKind } from './core/secret.ts';
import { serviceAccountKind } from './core/service-account.ts';
import { endpointSliceKind } from './discovery/endpoint-slice.ts';
import { flowSchemaKind } from './flowcontrol/flow-schema.ts';
import { priorityLevelConfigurationKind } from './flowcontrol/priority-level-configuration.ts';
import { ingressClassKind } from './networking/ingress-class.ts';
import { ingressKind } from './networking/ingress.ts';
import { networkPolicyKind } from './networking/network-policy.ts';
import { ipAddressKind, serviceCidrKind } from './networking/service-cidr.ts';
import { runtimeClassKind } from './node/runtime-class.ts';
import { podDisruptionBudgetKind } from './policy/pod-disruption-budget.ts';
import { clusterRoleBindingKind, clusterRoleKind, roleBindingKind, roleKind } from './rbac/rbac-kinds.ts';
import { deviceClassKind } from './resource/device-class.ts';
import { resourceClaimKind, resourceClaimTemplateKind } from './resource/resource-claim.ts';
import { resourceSliceKind } from './resource/resource-slice.ts';
import { priorityClassKind } from './scheduling/priority-class.ts';
import { serviceKind } from './service/service.ts';
import { csiDriverKind, csiNodeKind, csiStorageCapacityKind } from './storage/csi-kinds.ts';
import { storageClassKind, volumeAttributesClassKind } from './storage/storage-class.ts';
import { volumeAttachmentKind } from './storage/volume-attachment.ts';

/** Every built-in kind that is neither a pod nor a workload. */
export const otherKinds: BuiltinKinds = {
  '/ConfigMap': configMapKind,
  '/Endpoints': endpointsKind,
  '/Event': coreEventKind,
  '/LimitRange': limitRangeKind,
  '/Namespace': namespaceKind,
  '/Node': nodeKind,
  '/PersistentVolume': persistentVolumeKind,
  '/PersistentVolumeClaim': persistentVolumeClaimKind,
  '/ResourceQuota': resourceQuotaKind,
  '/Secret': secretKind,
  '/Service': serviceKind,
  '/ServiceAccount': serviceAccountKind,
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': mutatingAdmissionPolicyKind,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': mutatingAdmissionPolicyBindingKind,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': mutatingWebhookConfigurationKind,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': validatingAdmissionPolicyKind,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': validatingAdmissionPolicyBindingKind,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': validatingWebhookConfigurationKind,
  'apiregistration.k8s.io/APIService': apiServiceKind,
  'autoscaling/HorizontalPodAutoscaler': horizontalPodAutoscalerKind,
  'certificates.k8s.io/CertificateSigningRequest': certificateSigningRequestKind,
  'coordination.k8s.io/Lease': leaseKind,
  'discovery.k8s.io/EndpointSlice': endpointSliceKind,
  'events.k8s.io/Event': eventKind,
  'flowcontrol.apiserver.k8s.io/FlowSchema': flowSchemaKind,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': priorityLevelConfigurationKind,
  'networking.k8s.io/IPAddress': ipAddressKind,
  'networking.k8s.io/Ingress': ingressKind,
  'networking.k8s.io/IngressClass': ingressClassKind,
  'networking.k8s.io/NetworkPolicy': networkPolicyKind,
  'networking.k8s.io/ServiceCIDR': serviceCidrKind,
  'node.k8s.io/RuntimeClass': runtimeClassKind,
  'policy/PodDisruptionBudget': podDisruptionBudgetKind,
  'rbac.authorization.k8s.io/ClusterRole': clusterRoleKind,
  'rbac.authorization.k8s.io/ClusterRoleBinding': clusterRoleBindingKind,
  'rbac.authorization.k8s.io/Role': roleKind,
  'rbac.authorization.k8s.io/RoleBinding': roleBindingKind,
  'resource.k8s.io/DeviceClass': deviceClassKind,
  'resource.k8s.io/ResourceClaim': resourceClaimKind,
  'resource.k8s.io/ResourceClaimTemplate': resourceClaimTemplateKind,
  'resource.k8s.io/ResourceSlice': resourceSliceKind,
  'scheduling.k8s.io/PriorityClass': priorityClassKind,
  'storage.k8s.io/CSIDriver': csiDriverKind,
  'storage.k8s.io/CSINode': csiNodeKind,
  'storage.k8s.io/CSIStorageCapacity': csiStorageCapacityKind,
  'storage.k8s.io/StorageClass': storageClassKind,
  'storage.k8s.io/VolumeAttachment': volumeAttachmentKind,
  'storage.k8s.io/VolumeAttributesClass': volumeAttributesClassKind,
};

/** Said with every request to these, keyed `apiVersion/Kind`. */
export const deprecationWarnings: Readonly<Record<string, string>> = {
  'v1/ComponentStatus': 'v1 ComponentStatus is deprecated in v1.19+',
  'v1/Endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};
