/** A try or two may fail without anybody having to know. */
const manyFailures = 3;

/** Whether what failed so many times in a row needs somebody who looks. */
export const failsForGood = ({ isFinal }: { readonly isFinal: boolean }, failures: number): boolean => isFinal || failures >= manyFailures;
