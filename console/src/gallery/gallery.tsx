import { Pencil, Plus, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { toaster } from '../feedback/toaster.ts'
import { StateBadge } from '../ui/badge.tsx'
import { Banner } from '../ui/banner.tsx'
import { Button, buttonClass, IconButton } from '../ui/button.tsx'
import { CheckboxField, NumberField, SelectField, SwitchField, TextArea } from '../ui/fields/field.tsx'
import { FieldRow, FormFrame, FormSection } from '../ui/fields/form-frame.tsx'
import { PasswordField } from '../ui/fields/password-field.tsx'
import { SearchSelect } from '../ui/fields/search-select.tsx'
import { SecretField } from '../ui/fields/secret-field.tsx'
import { TextField } from '../ui/fields/text-field.tsx'
import { CopyField } from '../ui/format/sid.tsx'
import { Menu } from '../ui/overlay/menu.tsx'
import { ToastRegion } from '../ui/overlay/toast.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { voices } from './fixtures.ts'
import styles from './gallery.module.css'
import { Lists } from './lists.tsx'
import { Overlays } from './overlays.tsx'
import { Records } from './records.tsx'
import { Part } from './section.tsx'
import { Tables } from './tables.tsx'
import { Values } from './values.tsx'

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
        <a href="#carrier" className={buttonClass('secondary')}>
          A link
        </a>
        <IconButton label="Edit" icon={<Pencil aria-hidden="true" />} />
        <Menu label="More" text="More" items={[{ label: 'Export', onSelect: () => {} }]} />
        <Button onClick={() => toaster.success('Carrier created successfully')}>Toast</Button>
        <Button
          onClick={() => toaster.failure('Unable to copy the SID, please select the text and right click to copy')}
        >
          Failure
        </Button>
      </div>
      <div className={styles.line}>
        <StateBadge tone="good">Active</StateBadge>
        <StateBadge tone="warn">Expiring</StateBadge>
        <StateBadge tone="bad">Failed</StateBadge>
        <StateBadge tone="neutral">Inactive</StateBadge>
      </div>
      <Banner>You have view-only access. You can see everything here but can’t change it.</Banner>
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
        submitError={dirty ? 'A gateway with this address and port already exists.' : undefined}
        dirty={dirty}
        busy={false}
        cancel={<Button onClick={() => setDirty(false)}>Cancel</Button>}
      >
        <FormSection title="Details" description="Name and state of the carrier.">
          <CopyField label="Carrier SID" value="9351f46a-678c-43f5-b8a6-d4eb58d131af" />
          <TextField label="Name" required defaultValue="Nordlicht SIP" onChange={() => setDirty(true)} />
          <TextField
            label="SIP realm"
            mono
            defaultValue="sip.example.com"
            hint="It must be unique."
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

/** Shows all components to developers. Mounted in development only. */
export const Gallery = () => (
  <main className={styles.gallery}>
    <ToastRegion toaster={toaster} />
    <PageHeader
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
    <Values />
    <Lists />
    <Tables />
    <Records />
    <Form />
    <Overlays />
  </main>
)
