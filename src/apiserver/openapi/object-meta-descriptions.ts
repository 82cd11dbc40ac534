/** What `kubectl explain` says about the metadata that every object has. The prose of built-in kinds is left out; this much everybody looks up. */
export const objectMetaDescriptions: Readonly<Record<string, string>> = {
  annotations: 'Annotations is an unstructured key value map that tools and people may set; it is not queryable.',
  creationTimestamp: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
  deletionGracePeriodSeconds: 'Number of seconds allowed for this object to end before it is removed. Set together with deletionTimestamp.',
  deletionTimestamp: 'DeletionTimestamp is the time at which this object will be deleted. Set by the server when deletion is asked for.',
  finalizers: 'Must be empty before the object is deleted. Each entry names the component that will remove it.',
  generateName: 'GenerateName is a prefix for a unique name that the server makes when no name is given.',
  generation: 'A sequence number representing a generation of the desired state. Set by the server.',
  labels: 'Map of string keys and values by which objects are organised and selected.',
  managedFields: 'ManagedFields tells which manager owns which fields. Kept by the server.',
  name: 'Name must be unique within a namespace. It cannot be changed.',
  namespace: 'Namespace is the space within which the name must be unique. It cannot be changed.',
  ownerReferences: 'Objects this object depends on. When all of them are gone, it is collected.',
  resourceVersion: 'An opaque value that changes with every write; used for concurrency and watches. Set by the server.',
  selfLink: 'No longer set by the server.',
  uid: 'UID is unique in time and space. Set by the server.',
};
