import type { CreatedCallShare } from '@patchbay/contract/call-shares'
import { callShareLimits } from '@patchbay/contract/shared/call-share-limits'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { QueryFailed } from '../../../feedback/query-failed.tsx'
import { LinkList } from '../../../sections/call-shares/link-list.tsx'
import { linksOfCallQuery } from '../../../sections/call-shares/queries.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { SelectField } from '../../../ui/fields/field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ValueBox } from '../../../ui/format/sid.tsx'
import { DateTime } from '../../../ui/format/time.tsx'
import styles from './share.module.css'

/** Parts of the dialogs that create links to a call. */

export interface SharedCallParams {
  account_sid: string
  call_sid: string
}

const lifetimes = [
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
]

/** Chooses when a link expires. */
export const LifetimeField = (props: Pick<ComponentProps<'select'>, 'autoFocus'>) => (
  <SelectField
    label="Expires after"
    name="expires_in_hours"
    options={lifetimes}
    defaultValue="168"
    hint="The link also ends when you lose access to the account."
    {...props}
  />
)

/** Takes the note of a link. */
export const NoteField = () => (
  <TextField
    label="Note"
    name="note"
    maxLength={callShareLimits.note}
    hint="Optional, such as who gets the link. Not shown to viewers."
  />
)

interface NewLinkProps {
  link: CreatedCallShare
  /** The path of the page that the link opens. */
  path: string
}

/** Shows a new link, whose token cannot be read again. */
export const NewLink = ({ link: { token, expires_at }, path }: NewLinkProps) => {
  const url = `${window.location.origin}${path}#${token}`
  return (
    <div role="status">
      <ValueBox
        label="New link"
        hint={
          <>
            Copy the link now. It is not shown again. It expires <DateTime iso={expires_at} />.
          </>
        }
      >
        <code className={styles['url']}>{url}</code>
        <CopyButton value={url} label="Copy the link" displayText="Link" />
      </ValueBox>
    </div>
  )
}

/** Lists the links to a call, to its conversation and to reports about it. */
export const Links = (params: SharedCallParams) => {
  const { data, error, refetch } = useQuery(linksOfCallQuery(params))
  if (data === undefined) return error && <QueryFailed error={error} onRetry={() => void refetch()} />
  return (
    <section aria-label="Links to this call">
      <h3 className={styles['title']}>Links to this call</h3>
      {data.length === 0 ? (
        <p className="note">No links. Expired and revoked links are in the audit trail only.</p>
      ) : (
        <LinkList label="Links to this call" account_sid={params.account_sid} links={data} />
      )}
    </section>
  )
}
