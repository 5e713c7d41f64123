import { Pencil, Plus, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { StateBadge } from './badge.tsx'
import { Banner } from './banner.tsx'
import { Button, IconButton } from './button.tsx'
import { BlockingNotice, ConfirmDialog, Dialog } from './dialog.tsx'
import { CheckboxField, NumberField, SelectField, SwitchField, TextArea, TextField } from './field.tsx'
import { FieldRow, FormFrame, FormSection } from './form-frame.tsx'
import { GalleryLists } from './gallery-lists.tsx'
import { GalleryValues } from './gallery-values.tsx'
import { Part, voices } from './gallery-part.tsx'
import styles from './gallery.module.css'
import { Menu } from './menu.tsx'
import { PageHeader } from './page-header.tsx'
import { PasswordField } from './password-field.tsx'
import { SearchSelect } from './search-select.tsx'
import { SecretField } from './secret-field.tsx'
import { CopyField } from './sid.tsx'
import { Tabs } from './tabs.tsx'
import { createToaster, ToastRegion } from './toast.tsx'

const toast = createToaster()

const Buttons = () => {
  return (
    <Part title="Buttons, badges, banners">
      <div className={styles.line}>
        <Button variant="primary" icon={<Plus aria-hidden="true" />}>
          Add carrier
        </Button>
        <Button>Secondary</Button>
        <Button variant="ghost">Ghost</Button>
        <Button variant="danger">Delete</Button>
        <Button variant="primary" busy>
          Saving
        </Button>
        <Button disabledReason="Your access is view-only.">With a reason</Button>
        <Button size="small">Small</Button>
        <IconButton label="Edit" icon={<Pencil aria-hidden="true" />} />
        <Menu label="More" text="More" items={[{ label: 'Export', onSelect: () => {} }]} />
        <Button onClick={() => toast.success('Carrier created successfully')}>Toast</Button>
        <Button onClick={() => toast.failure('Unable to copy the SID, please select the text and right click to copy')}>
          Failure
        </Button>
      </div>
      <div className={styles.line}>
        <StateBadge tone="good">Active</StateBadge>
        <StateBadge tone="warn">Expiring</StateBadge>
        <StateBadge tone="bad">Failed</StateBadge>
        <StateBadge tone="neutral">Inactive</StateBadge>
      </div>
      <Banner>You have view-only access: you can look at everything here, but change nothing.</Banner>
      <Banner tone="warn" title="The trial ends in three days">
        Calls stop then. Choose a plan to go on.
      </Banner>
      <Banner tone="bad" action={<Button size="small">Retry</Button>}>
        The gateway is in use by another carrier.
      </Banner>
    </Part>
  )
}

const Form = () => {
  const [dirty, setDirty] = useState(false)
  const [voice, setVoice] = useState('AWS Ben')
  return (
    <Part title="Form">
      <FormFrame
        label="Carrier"
        onSubmit={() => setDirty(false)}
        submitError={dirty ? 'A gateway with this address and port exists already.' : undefined}
        dirty={dirty}
        busy={false}
        cancel={<Button onClick={() => setDirty(false)}>Cancel</Button>}
      >
        <FormSection title="Details" description="What the carrier is called, and whom it serves.">
          <CopyField label="Carrier SID" value="9351f46a-678c-43f5-b8a6-d4eb58d131af" />
          <TextField label="Name" required defaultValue="Nordlicht SIP" onChange={() => setDirty(true)} />
          <TextField
            label="SIP realm"
            mono
            before="sip:"
            defaultValue="sip.example.com"
            hint="No other account may have it."
            error="This domain is taken."
          />
          <FieldRow>
            <SelectField
              label="Transport"
              options={[
                { value: 'udp', label: 'UDP' },
                { value: 'tls', label: 'TLS' },
              ]}
            />
            <NumberField label="Port" defaultValue={5060} />
            <NumberField label="Expires" after="seconds" defaultValue={3600} />
          </FieldRow>
          <SearchSelect
            look="field"
            label="Voice"
            options={voices}
            value={voice}
            onChange={setVoice}
            hint="Grouped by vendor; type to narrow."
          />
          <TextArea label="Notes" mono defaultValue="One line, growing with what is typed." />
        </FormSection>
        <FormSection title="Access" description="Secrets are stored encrypted.">
          <PasswordField label="Password" autoComplete="new-password" required />
          <SecretField
            label="Webhook secret"
            value="wh_secret_q8fJ2kdP0sLmZ3x"
            actions={<IconButton size="small" label="Generate new secret" icon={<RefreshCw aria-hidden="true" />} />}
          />
          <SwitchField label="Active" hint="Calls are routed to it." defaultChecked />
          <SwitchField label="Trace SIP" />
          <CheckboxField label="Use HTTP basic authentication" defaultChecked>
            <TextField label="Username" />
          </CheckboxField>
        </FormSection>
      </FormFrame>
      <FormFrame label="View only" onSubmit={() => {}} submitError={undefined} dirty={false} busy={false} readOnly>
        <FormSection title="Read only">
          <TextField label="Name of the record" defaultValue="Nordlicht SIP" />
          <SelectField label="Kind" options={[{ value: 'a', label: 'Carrier' }]} />
          <CheckboxField label="Enabled" defaultChecked />
        </FormSection>
      </FormFrame>
    </Part>
  )
}

type Overlay = 'confirm' | 'failed' | 'information' | 'entry' | 'blocking'

const Overlays = () => {
  const [open, setOpen] = useState<Overlay>()
  const [tab, setTab] = useState<'voice' | 'sms'>('voice')
  const close = () => setOpen(undefined)
  const overlays: readonly Overlay[] = ['confirm', 'failed', 'information', 'entry', 'blocking']
  return (
    <Part title="Dialogs and tabs">
      <div className={styles.line}>
        {overlays.map((kind) => (
          <Button
            key={kind}
            onClick={() => {
              setOpen(kind)
              if (kind === 'blocking') setTimeout(close, 1500)
            }}
          >
            {`Open ${kind}`}
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
        {tab === 'voice' ? 'Gateways for calls stand here.' : 'Gateways for messages stand here.'}
      </Tabs>
      {open === 'confirm' || open === 'failed' ? (
        <ConfirmDialog
          title="Delete carrier?"
          confirmLabel="Delete carrier"
          danger
          error={open === 'failed' ? 'The carrier is in use by 2 phone numbers.' : undefined}
          onConfirm={close}
          onCancel={close}
        >
          <p>
            <strong>Nordlicht SIP</strong> will be deleted, and with it its 4 gateways. This cannot be undone.
          </p>
        </ConfirmDialog>
      ) : null}
      {open === 'information' ? (
        <Dialog
          title="What is a carrier?"
          onClose={close}
          closeOnBackdrop
          footer={<Button onClick={close}>Close</Button>}
        >
          <p>A company that connects calls to the telephone network.</p>
        </Dialog>
      ) : null}
      {open === 'entry' ? (
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
      ) : null}
      {open === 'blocking' ? <BlockingNotice>Verifying the credential…</BlockingNotice> : null}
    </Part>
  )
}

/** All pieces together, for whoever builds with them; mounted in development only. */
export const Gallery = () => (
  <main className={styles.gallery}>
    <ToastRegion toaster={toast} />
    <PageHeader
      breadcrumb={<a href="/">Development</a>}
      title="Building blocks"
      badge={<StateBadge tone="neutral">Development</StateBadge>}
      description="Every piece of the kit in the states it can take."
      actions={
        <Button variant="primary" icon={<Plus aria-hidden="true" />}>
          Add piece
        </Button>
      }
    />
    <Buttons />
    <GalleryValues toast={toast} />
    <GalleryLists />
    <Form />
    <Overlays />
  </main>
)
