import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { errorMessage } from '../../../api/api-error.ts'
import { sbcsQuery } from '../../../api/sbcs-query.ts'
import { NoSipAddresses } from '../../../sections/no-sip-addresses.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { smppsQuery } from '../queries.ts'
import styles from './carrier-form.module.css'

interface Address {
  /** Formats an address such as "10.0.0.1:5060". */
  address: string
  note?: string
}

interface AddressesProps {
  title: string
  isPending: boolean
  error: Error | null
  addresses: readonly Address[] | undefined
  /** Shown if there are no addresses. */
  empty: ReactNode
  onOpen: () => void
}

/** Lists platform addresses to enter in the carrier's own configuration. The addresses load when the list is opened. */
const Addresses = ({ title, isPending, error, addresses, empty, onOpen }: AddressesProps) => {
  const body = (): ReactNode => {
    if (error) return <p role="alert">{errorMessage(error)}</p>
    if (isPending || addresses === undefined) return <p>Loading…</p>
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
  return (
    <details className={styles['addresses']} onToggle={({ currentTarget }) => currentTarget.open && onOpen()}>
      <summary>{title}</summary>
      {body()}
    </details>
  )
}

const useWhenOpened = <Row,>(options: UseQueryOptions<Row[], Error, Row[], string[]>) => {
  const [isOpened, setOpened] = useState(false)
  return { query: useQuery({ ...options, enabled: isOpened }), onOpen: () => setOpened(true) }
}

/** Lists the addresses of the SBCs. */
export const SbcAddresses = ({ service_provider_sid }: { service_provider_sid: string }) => {
  const { query, onOpen } = useWhenOpened(sbcsQuery(service_provider_sid))
  return (
    <Addresses
      title="Have your carrier send calls to these addresses"
      isPending={query.isPending}
      error={query.error}
      onOpen={onOpen}
      empty={<NoSipAddresses />}
      addresses={query.data?.map(({ ipv4, port }) => ({ address: `${ipv4}:${port}` }))}
    />
  )
}

/** Lists the addresses of the SMPP servers. */
export const SmppAddresses = ({ service_provider_sid }: { service_provider_sid: string }) => {
  const { query, onOpen } = useWhenOpened(smppsQuery(service_provider_sid))
  return (
    <Addresses
      title="Have your carrier send messages to these addresses"
      isPending={query.isPending}
      error={query.error}
      onOpen={onOpen}
      empty={<p>No addresses are configured.</p>}
      addresses={query.data?.map(({ ipv4, port, use_tls }) => ({
        address: `${ipv4}:${port}`,
        ...(use_tls ? { note: 'TLS' } : {}),
      }))}
    />
  )
}
