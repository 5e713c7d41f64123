import { type ReactNode, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { ConfirmAction } from '../feedback/confirm-action.tsx'
import { Button } from '../ui/button.tsx'
import { SearchSelect } from '../ui/fields/search-select.tsx'
import { BlockingNotice, Dialog } from '../ui/overlay/dialog.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { voices } from './fixtures.ts'
import styles from './gallery.module.css'
import { palettes } from './palette-fixtures.ts'
import { Part } from './section.tsx'

const resting = { isPending: false, error: null, mutate: () => {} }
const inUse = new ApiError('rejected', 422, 'The carrier is in use by 2 phone numbers.', { requestId: 'req-4f2a9c1e' })

interface DeleteProps {
  action?: { isPending?: boolean; error?: Error }
  reason?: string
  onClose: () => void
}

const Delete = ({ action, reason, onClose }: DeleteProps) => (
  <ConfirmAction
    title="Delete carrier?"
    confirmLabel="Delete carrier"
    danger
    confirmDisabledReason={reason}
    action={{ ...resting, mutate: onClose, ...action }}
    onCancel={onClose}
  >
    <p>
      <strong>Nordlicht SIP</strong> will be deleted, and with it its 4 gateways. This cannot be undone.
    </p>
  </ConfirmAction>
)

interface Overlay {
  before?: () => void
  render: (close: () => void) => ReactNode
  isDone?: 'at any key'
}

/** Overlays of the page. */
const overlays: Readonly<Record<string, Overlay>> = {
  confirm: { render: (close) => <Delete onClose={close} /> },
  'confirm with a reason': { render: (close) => <Delete reason="Counting its gateways." onClose={close} /> },
  busy: { render: (close) => <Delete action={{ isPending: true }} onClose={close} />, isDone: 'at any key' },
  failed: { render: (close) => <Delete action={{ error: inUse }} onClose={close} /> },
  information: {
    render: (close) => (
      <Dialog title="About carriers" onClose={close} closeOnBackdrop footer={<Button onClick={close}>Close</Button>}>
        <p>A company that connects calls to the telephone network.</p>
      </Dialog>
    ),
  },
  entry: {
    render: (close) => (
      <Dialog
        title="Choose a voice"
        size="medium"
        onClose={close}
        footer={
          <Button variant="primary" onClick={close}>
            Save
          </Button>
        }
      >
        <SearchSelect look="field" label="Voice in a dialog" options={voices} value="AWS Ben" onChange={() => {}} />
      </Dialog>
    ),
  },
  blocking: { render: () => <BlockingNotice>Verifying the credential…</BlockingNotice>, isDone: 'at any key' },
  ...palettes,
}

export const Overlays = () => {
  const [open, setOpen] = useState<string>()
  const [tab, setTab] = useState<'voice' | 'sms'>('voice')
  const close = () => setOpen(undefined)
  return (
    <Part title="Dialogs and tabs">
      <div className={styles.line}>
        {Object.entries(overlays).map(([name, { before, isDone }]) => (
          <Button
            key={name}
            onClick={() => {
              before?.()
              setOpen(name)
              if (isDone) document.addEventListener('keydown', close, { once: true })
            }}
          >
            {`Open ${name}`}
          </Button>
        ))}
      </div>
      <Tabs
        label="Kind of traffic"
        tabs={[
          { id: 'voice', label: 'Voice' },
          { id: 'sms', label: 'SMS' },
        ]}
        selected={tab}
        onSelect={setTab}
      >
        {tab === 'voice' ? 'SIP gateways appear here.' : 'SMPP gateways appear here.'}
      </Tabs>
      {open && overlays[open]?.render(close)}
    </Part>
  )
}
