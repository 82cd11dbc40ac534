/** What all management kinds of Rancher share. */
export const management = { group: 'management.cattle.io', version: 'v3' } as const;

export const ageColumn = { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' } as const;
