import { EmptyState } from '../../../ui/table/list-state.tsx'

/** Says that a link does not work. The server does not say why. */
export const InvalidLink = () => (
  <EmptyState
    title="This link is no longer valid."
    hint="It has expired, was revoked, or is incomplete. Ask the person who sent it for a new one."
  />
)
