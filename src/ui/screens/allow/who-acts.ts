import { useSession } from '../../data/session.ts';

/** As whom a program would act. */
export function useWhoActs(): string | undefined {
  const session = useSession();
  const person = session.state === 'in' ? session.person : undefined;
  return person && (person.name === person.username ? person.name : `${person.name} (${person.username})`);
}
