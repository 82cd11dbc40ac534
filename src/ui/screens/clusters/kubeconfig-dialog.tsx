import { useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { request } from '../../data/request.ts';
import { CommandLine, CopyButton } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { idOf } from './cluster-kind.ts';

/** A kubeconfig for one cluster, with a token of whoever asks. It is never shown: it is a credential. */
export function KubeconfigDialog({ cluster, onClose }: { cluster: Cluster; onClose(): void }) {
  const name = cluster.metadata.name!;
  const [config, setConfig] = useState<string>();
  const [error, setError] = useState<unknown>();
  const make = () =>
    request<{ config: string }>(`/v3/clusters/${encodeURIComponent(idOf(cluster))}?action=generateKubeconfig`, {
      method: 'POST',
      body: {},
    }).then(answer => setConfig(answer.config), setError);
  function download(): void {
    const url = URL.createObjectURL(new Blob([config!], { type: 'application/yaml' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `${name}.yaml`;
    link.click();
    URL.revokeObjectURL(url);
  }
  return (
    <Dialog title={`Kubeconfig for ${name}`} onClose={onClose}>
      <p>Makes a token of yours that is good for this cluster alone. Whoever has the file can do there what you can.</p>
      {error !== undefined && <ErrorNote error={error} />}
      {config === undefined ? (
        <div className="stack tight">
          <span className="muted">The same in a terminal</span>
          <CommandLine command={`drover kubeconfig ${name} > ${name}.yaml`} />
        </div>
      ) : (
        <>
          <div className="row" role="status">
            Ready.
            <CopyButton text={config} what="kubeconfig" />
          </div>
          <CommandLine command={`kubectl --kubeconfig ${name}.yaml get nodes`} />
        </>
      )}
      <div className="dialog-end">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
        {config === undefined ? (
          <button type="button" className="button main-deed" data-first onClick={() => void make()}>
            Make one
          </button>
        ) : (
          <button type="button" className="button main-deed" data-first onClick={download}>
            Download
          </button>
        )}
      </div>
    </Dialog>
  );
}
