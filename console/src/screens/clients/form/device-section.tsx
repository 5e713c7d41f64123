import type { RegisteredClient } from '@patchbay/contract/registered-sip-users'
import type { SbcAddress } from '@patchbay/contract/platform-addresses'
import { registrationEntries } from '../../../sections/sip-registration.tsx'
import { type DefinitionEntry, DefinitionList } from '../../../ui/definition-list.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import { deviceAddresses } from './device-addresses.ts'

interface DeviceSectionProps {
  username: string
  realm: string
  sbcs: readonly SbcAddress[]
  /** where it is known */
  registration: RegisteredClient | undefined
}

const copied = (name: string, value: string): DefinitionEntry => [name, value, { mono: true, copy: value }]

/** Where a phone or a softphone registers, and how it does now. */
export const DeviceSection = ({ username, realm, sbcs, registration }: DeviceSectionProps) => {
  const addresses = deviceAddresses(sbcs)
  const several = (transport: string, at: number): string => {
    const before = addresses.slice(0, at).filter((other) => other.transport === transport).length
    return before === 0 ? `Proxy, ${transport}` : `Proxy ${before + 1}, ${transport}`
  }
  return (
    <>
      <FormSection
        title="Set up a device"
        description="What a phone or a softphone is told beside the user name and the password; a proxy only where the domain does not lead to the platform by itself."
      >
        <DefinitionList
          entries={[
            copied('Domain', realm),
            copied('SIP address', `sip:${username}@${realm}`),
            ...addresses.map(({ transport, address }, at) => copied(several(transport, at), address)),
          ]}
        />
      </FormSection>
      {registration?.registered_status === 'active' && (
        <FormSection title="Registration" description="From where the device is registered now, and until when.">
          <DefinitionList entries={registrationEntries(registration)} />
        </FormSection>
      )}
    </>
  )
}
