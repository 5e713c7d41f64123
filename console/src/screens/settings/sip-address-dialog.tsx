import type { NewSbcAddress, SbcAddress } from '@patchbay/contract/platform-addresses'
import { platformAddressLengths as lengths } from '@patchbay/contract/platform-addresses/record'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormErrors } from '../../form/use-form-errors.ts'
import { formText } from '../../form/use-form-submit.ts'
import { useProviders } from '../../session/current-provider.ts'
import { SelectField } from '../../ui/fields/field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { type AddressErrors, validateAddress } from './sip-address.ts'

const defaultSipPort = '5060'

const toPort = (text: string): number | null => (text === '' ? null : Number(text))

const remove = (sbc_address_sid: string) => api('DELETE /Sbcs/:sbc_address_sid', { params: { sbc_address_sid } })

/**
 * Deletes the old address after the new one was added, because the platform's API cannot change an address. If that
 * fails, the new one is deleted again, so that another attempt does not add it twice.
 */
const replace = async (old: SbcAddress, added: string): Promise<void> => {
  try {
    await remove(old.sbc_address_sid)
  } catch (error) {
    await remove(added).catch(() => {})
    throw error
  }
}

interface SipAddressDialogProps {
  /** Absent for a new address. */
  address: SbcAddress | undefined
  onClose: () => void
}

const readAddress = (form: HTMLFormElement) => {
  const read = (name: string) => formText(form, name).trim()
  return { ipv4: read('ipv4'), port: read('port'), tls_port: read('tls_port'), wss_port: read('wss_port') }
}

/** Adds or changes an address of an SBC. */
export const SipAddressDialog = ({ address, onClose }: SipAddressDialogProps) => {
  const provider = useProviders().current
  const { errors, findErrors, onChange } = useFormErrors((form): AddressErrors => validateAddress(readAddress(form)))
  const save = useAction({
    run: async (body: NewSbcAddress) => {
      const { sid } = await api('POST /Sbcs', { body })
      if (address) await replace(address, sid)
    },
    done: () => (address ? 'SIP address updated' : 'SIP address added'),
    changes: [['sbcs']],
    after: onClose,
    quiet: true,
  })
  const readInput = (form: HTMLFormElement): NewSbcAddress | undefined => {
    if (findErrors(form)) return undefined
    const values = readAddress(form)
    return {
      ipv4: values.ipv4,
      port: Number(values.port || defaultSipPort),
      tls_port: toPort(values.tls_port),
      wss_port: toPort(values.wss_port),
      service_provider_sid: formText(form, 'service_provider_sid') || null,
    }
  }
  const title = address ? 'Edit SIP address' : 'Add SIP address'
  const portField = (name: 'port' | 'tls_port' | 'wss_port', label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      name={name}
      inputMode="numeric"
      maxLength={5}
      autoComplete="off"
      defaultValue={address?.[name] ?? (name === 'port' ? defaultSipPort : '')}
      error={errors[name]}
    />
  )
  return (
    <FormDialog
      title={title}
      submitLabel="Save"
      action={save}
      readInput={readInput}
      onChange={onChange}
      onClose={onClose}
    >
      <TextField
        label="IP address or host name"
        hint="The public address that carriers reach."
        name="ipv4"
        required
        mono
        maxLength={lengths.ipv4}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        defaultValue={address?.ipv4}
        error={errors.ipv4}
      />
      {portField('port', 'SIP port', 'UDP and TCP.')}
      {portField('tls_port', 'TLS port', 'For SIP over TLS. Leave it empty if the SBC does not offer it.')}
      {portField('wss_port', 'WSS port', 'For devices in browsers. Leave it empty if the SBC does not offer it.')}
      <SelectField
        label="Used by"
        name="service_provider_sid"
        defaultValue={address?.service_provider_sid ?? ''}
        options={[
          { value: '', label: 'All service providers' },
          ...(provider ? [{ value: provider.service_provider_sid, label: `${provider.name} only` }] : []),
        ]}
      />
    </FormDialog>
  )
}
