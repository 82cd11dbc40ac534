/** More than this is no Content. */
export const maxContentBytes = 64 * 1024 * 1024;

/** In base64 still well below the 1.5 MiB that etcd takes in one write. */
export const maxPartBytes = 900 * 1024;
