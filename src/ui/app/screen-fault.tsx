import { Component, type ReactNode } from 'react';
import { ErrorNote } from '../parts/notes.tsx';

interface ScreenFaultProps {
  /** Whoever goes elsewhere leaves what has failed behind. */
  readonly place: string;
  readonly children: ReactNode;
}

/** A screen that breaks takes nothing else with it. */
export class ScreenFault extends Component<ScreenFaultProps, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(before: ScreenFaultProps): void {
    if (this.state.error && before.place !== this.props.place) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="page">
        <ErrorNote error={error} about="This screen has failed" />
        <div>
          <button type="button" className="button" onClick={() => location.reload()}>
            Load the page again
          </button>
        </div>
      </div>
    );
  }
}
