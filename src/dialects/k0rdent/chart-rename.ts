/** Another chart than the one that is installed, by their names. */
export interface ChartRename {
  readonly from: string;
  readonly to: string;
}

/** Flux would uninstall the release first; here it is upgraded, and what both charts have stays. */
export const chartRenameText = ({ from, to }: ChartRename): string =>
  `Helm chart name changed from "${from}" to "${to}": the release will be upgraded in place, which may cause service disruption or resource recreation`;
