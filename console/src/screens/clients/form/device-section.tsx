import type { SbcAddress } from '@patchbay/contract/platform-addresses'
import type { RegisteredClient } from '@patchbay/contract/registered-sip-users'
import { NoSipAddresses } from '../../../sections/no-sip-addresses.tsx'
import { registrationEntries } from '../../../sections/sip-registration.tsx'
import { type DefinitionEntry, DefinitionList } from '../../../ui/definition-list.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { deviceAddresses } from './client-form.ts'

interface DeviceSectionProps {
  username: string
  realm: string
  sbcs: readonly SbcAddress[]
  /** Undefined while loading, and if the registration cannot be read. */
  registration: RegisteredClient | undefined
}

const toCopyEntry = (name: string, value: string): DefinitionEntry => [name, value, { mono: true, copy: value }]

/** Settings to enter in a phone or softphone, and the current registration. */
export const DeviceSection = ({ username, realm, sbcs, registration }: DeviceSectionProps) => {
  const addresses = deviceAddresses(sbcs)
  const getProxyLabel = (transport: string, at: number): string => {
    const before = addresses.slice(0, at).filter((other) => other.transport === transport).length
    return before === 0 ? `Proxy, ${transport}` : `Proxy ${before + 1}, ${transport}`
  }
  return (
    <>
      <FormSection
        title="Set up a device"
        description="Settings for the phone or softphone besides the user name and password. A proxy is needed only if the domain does not resolve to the platform."
      >
        <DefinitionList
          entries={[
            toCopyEntry('Domain', realm),
            toCopyEntry('SIP address', `sip:${username}@${realm}`),
            ...addresses.map(({ transport, address }, at) => toCopyEntry(getProxyLabel(transport, at), address)),
          ]}
        />
        {addresses.length === 0 && <NoSipAddresses />}
      </FormSection>
      {registration?.registered_status === 'active' && (
        <FormSection
          title="Registration"
          description="Where the device is registered from, and when its registration expires."
        >
          <DefinitionList entries={registrationEntries(registration)} />
        </FormSection>
      )}
    </>
  )
}
