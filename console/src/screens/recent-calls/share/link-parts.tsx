import type { NewCallShare } from '@patchbay/contract/call-shares'
import { callShareLimits } from '@patchbay/contract/shared/call-share-limits'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../../api/client.ts'
import { QueryFailed } from '../../../feedback/query-failed.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { DialogForm } from '../../../form/form-dialog.tsx'
import { formText } from '../../../form/use-form-submit.ts'
import { LinkList } from '../../../sections/call-shares/link-list.tsx'
import { callSharesKey, linksOfCallQuery } from '../../../sections/call-shares/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton, canCopy, copyText } from '../../../ui/copy-button.tsx'
import { SelectField } from '../../../ui/fields/field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { ValueBox } from '../../../ui/format/sid.tsx'
import { DateTime } from '../../../ui/format/time.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
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

/** A link whose token cannot be read again. */
export interface CreatedLink {
  url: string
  expires_at: string
  isCopied: boolean
}

interface LinkFormProps extends SharedCallParams {
  /** The path of the page that the link opens. */
  path: string
  /** Returns what the link opens, from the form. */
  getContent: (form: FormData) => { includes_recording: boolean; report?: NonNullable<NewCallShare['report']> }
  /** Moves the focus to the first field when the dialog opens. */
  isFirst?: boolean
  onCreated: (link: CreatedLink) => void
  onCancel: () => void
  /** Fields between the lifetime and the note. */
  children?: ReactNode
}

/** Creates a link to a call, and copies it if the browser allows that. */
export const LinkForm = (props: LinkFormProps) => {
  const { account_sid, call_sid, path, getContent, isFirst, onCreated, onCancel, children } = props
  const create = useAction({
    run: (form: HTMLFormElement) =>
      api('POST /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares', {
        params: { account_sid, call_sid },
        body: {
          expires_in_hours: formText(form, 'expires_in_hours'),
          note: formText(form, 'note').trim() || null,
          ...getContent(new FormData(form)),
        },
      }),
    changes: [callSharesKey(account_sid)],
    after: async ({ token, expires_at }) => {
      const url = `${window.location.origin}${path}#${token}`
      onCreated({ url, expires_at, isCopied: await copyText(url) })
    },
    quiet: true,
  })
  return (
    <DialogForm
      label="New link"
      submitLabel={canCopy() ? 'Create and copy link' : 'Create link'}
      action={create}
      readInput={(form) => form}
      onCancel={onCancel}
    >
      <SelectField
        label="Expires after"
        name="expires_in_hours"
        options={lifetimes}
        defaultValue="168"
        hint="The link also ends when you lose access to the account."
        data-autofocus={isFirst}
      />
      {children}
      <TextField
        label="Note"
        name="note"
        maxLength={callShareLimits.note}
        hint="Optional, such as who gets the link. Not shown to viewers."
      />
    </DialogForm>
  )
}

interface LinkDialogProps {
  title: string
  /** The link that was just created. */
  link: CreatedLink | undefined
  /** The form, which has buttons of its own, is displayed. */
  hasForm: boolean
  /** Shows the form for another link. */
  onAnother: () => void
  onClose: () => void
  children: ReactNode
}

/** The frame of a dialog that creates links to a call. */
export const LinkDialog = ({ title, link, hasForm, onAnother, onClose, children }: LinkDialogProps) => (
  <Dialog
    title={title}
    size="medium"
    onClose={onClose}
    footer={
      hasForm ? undefined : (
        <>
          {link && <Button onClick={onAnother}>Create another link</Button>}
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      )
    }
  >
    <div className={styles['parts']}>{children}</div>
  </Dialog>
)

/** Shows a new link. */
export const NewLink = ({ link: { url, expires_at, isCopied } }: { link: CreatedLink }) => (
  <div role="status">
    <ValueBox
      label="New link"
      hint={
        <>
          {isCopied ? 'The link is in the clipboard.' : 'Copy the link now.'} It is not shown again. It expires{' '}
          <DateTime iso={expires_at} />.
        </>
      }
    >
      <code className={styles['url']}>{url}</code>
      <CopyButton value={url} label="Copy the link" displayText="Link" />
    </ValueBox>
  </div>
)

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
