import { useQuery } from '@tanstack/react-query'
import { sbcsQuery } from '../../../api/sbcs-query.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import { NoSipAddresses } from '../../../sections/no-sip-addresses.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import styles from './guided.module.css'
import type { TrunkKind } from './trunk-kinds.ts'

const instructions: Readonly<Record<TrunkKind, string>> = {
  ip: 'Enter these SIP addresses at your carrier: as the source of your calls, and as the destination of calls to your numbers.',
  auth: 'Enter these SIP addresses at your carrier as the destination of calls to your numbers.',
  registration:
    'Your SBCs register with the carrier, so most carriers need no address. If yours has a list of allowed addresses, enter these.',
}

const Addresses = ({ service_provider_sid }: { service_provider_sid: string }) => {
  const sbcs = useQuery(sbcsQuery(service_provider_sid))
  if (sbcs.data === undefined) return <FormLoading queries={[sbcs]} />
  if (sbcs.data.length === 0) return <NoSipAddresses />
  return (
    <ul className={styles['addresses']}>
      {sbcs.data.map(({ sbc_address_sid, ipv4, port }) => (
        <li key={sbc_address_sid}>
          <code>{`${ipv4}:${port}`}</code>
          <CopyButton value={`${ipv4}:${port}`} label={`Copy ${ipv4}:${port}`} />
        </li>
      ))}
    </ul>
  )
}

/** The SIP addresses of the platform, and what to do with them in the portal of the carrier. */
export const CarrierSide = ({ kind, service_provider_sid }: { kind: TrunkKind; service_provider_sid: string }) => (
  <FormSection title="At your carrier" description={instructions[kind]}>
    <Addresses service_provider_sid={service_provider_sid} />
  </FormSection>
)
