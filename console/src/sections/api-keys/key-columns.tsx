import type { ApiKey } from '@patchbay/contract/api-keys'
import { maskToken } from '@patchbay/rules/masking/masking'
import { config } from '../../api/configuration.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { toDate } from '../../ui/format/datetime.ts'
import { Name } from '../../ui/format/reference.tsx'
import { LastUsed, RelativeTime } from '../../ui/format/time.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import styles from './key-columns.module.css'

/** The properties of a dialog for one API key. */
export interface KeyDialogProps {
  apiKey: ApiKey
  onClose: () => void
}

/** The server of jambonz stores no names of API keys. */
export const hasKeyNames = (): boolean => config().extensions.has('api-keys')

/** Masks the token, because the server of jambonz sends tokens whole. */
const formatToken = ({ token }: ApiKey): string => maskToken(token)

/** Returns the name of a key. The masked token stands for a key without a name. */
export const formatKey = (key: ApiKey): string => key.name ?? formatToken(key)

const hasEnded = ({ expires_at }: ApiKey): boolean =>
  (toDate(expires_at)?.getTime() ?? Number.POSITIVE_INFINITY) <= Date.now()

const End = ({ apiKey }: { apiKey: ApiKey }) => {
  if (apiKey.expires_at === null) return 'Never'
  return hasEnded(apiKey) ? <StateBadge tone="bad">Expired</StateBadge> : <RelativeTime iso={apiKey.expires_at} />
}

const nameColumn: TableColumn<ApiKey> = {
  id: 'name',
  header: 'Name',
  share: 16,
  cell: ({ name }) => name && <Name>{name}</Name>,
}

const columns: readonly TableColumn<ApiKey>[] = [
  {
    id: 'token',
    header: 'Key',
    share: 10,
    card: 'detail',
    cell: (key) => (
      <code className={styles['token']}>
        <bdi dir="ltr">{formatToken(key)}</bdi>
      </code>
    ),
  },
  {
    id: 'created',
    header: 'Created',
    share: 9,
    nowrap: true,
    priority: 2,
    cell: ({ created_at }) => <RelativeTime iso={created_at} />,
  },
  {
    id: 'expires',
    header: 'Expires',
    share: 8,
    nowrap: true,
    priority: 2,
    card: 'state',
    cell: (key) => <End apiKey={key} />,
  },
  {
    id: 'used',
    header: 'Last used',
    share: 9,
    nowrap: true,
    card: 'end',
    cell: ({ last_used }) => <LastUsed iso={last_used} />,
  },
]

/** Returns the columns of a table of API keys. */
export const keyColumns = (): readonly TableColumn<ApiKey>[] => (hasKeyNames() ? [nameColumn, ...columns] : columns)

export const keyRowKey = ({ api_key_sid }: ApiKey): string => api_key_sid
