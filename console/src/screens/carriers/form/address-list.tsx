import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { errorMessage } from '../../../api/api-error.ts'
import { sbcsQuery } from '../../../api/sbcs-query.ts'
import { NoSipAddresses } from '../../../sections/no-sip-addresses.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { smppsQuery } from '../queries.ts'

interface Address {
  /** Formats an address such as "10.0.0.1:5060". */
  address: string
  note?: string
}

interface AddressListProps {
  error: Error | null
  /** Undefined while they load. */
  addresses: readonly Address[] | undefined
  /** Shown if there are no addresses. */
  empty: ReactNode
}

const AddressList = ({ error, addresses, empty }: AddressListProps): ReactNode => {
  if (error) return <p role="alert">{errorMessage(error)}</p>
  if (addresses === undefined) return <p>Loading…</p>
  if (addresses.length === 0) return empty
  return (
    <ul>
      {addresses.map(({ address, note }) => (
        <li key={address}>
          <code>{address}</code>
          {note && ` (${note})`}
          <CopyButton value={address} label={`Copy ${address}`} />
        </li>
      ))}
    </ul>
  )
}

interface ListProps {
  service_provider_sid: string
}

/** Lists the addresses of the SBCs. */
export const SbcList = ({ service_provider_sid }: ListProps) => {
  const { data, error } = useQuery(sbcsQuery(service_provider_sid))
  return (
    <AddressList
      error={error}
      addresses={data?.map(({ ipv4, port }) => ({ address: `${ipv4}:${port}` }))}
      empty={<NoSipAddresses />}
    />
  )
}

/** Lists the addresses of the SMPP servers. */
export const SmppList = ({ service_provider_sid }: ListProps) => {
  const { data, error } = useQuery(smppsQuery(service_provider_sid))
  return (
    <AddressList
      error={error}
      addresses={data?.map(({ ipv4, port, use_tls }) => ({
        address: `${ipv4}:${port}`,
        ...(use_tls ? { note: 'TLS' } : {}),
      }))}
      empty={<p>No addresses are configured.</p>}
    />
  )
}
