import type { AuditEntry } from '@patchbay/contract/audit-trail'

/** The token of an API key without a name, of which only the last characters are stored. */
const maskedToken = /^[*-]+(?=[^*-]+$)/

/** Formats the author of a change: the name of a user, or a label for other authors. */
export const actorText = ({ actor, actor_name }: Pick<AuditEntry, 'actor' | 'actor_name'>): string => {
  switch (actor) {
    case 'user':
      return actor_name ?? 'A user'
    case 'api_key':
      return `API key ${(actor_name ?? '').replace(maskedToken, '')}`.trim()
    case 'platform':
      return 'Platform component'
    case 'patchbay':
      return 'Patchbay'
    case 'nobody':
      return 'Unauthenticated caller'
  }
}
