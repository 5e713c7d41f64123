import { type ReactNode, useState } from 'react'
import { lazyContent } from '../../../lazy/lazy-content.tsx'
import styles from './carrier-form.module.css'

/** The lists load when they are opened. */
const SbcList = lazyContent('sbc-list', async () => (await import('./address-list.tsx')).SbcList)
const SmppList = lazyContent('smpp-list', async () => (await import('./address-list.tsx')).SmppList)

/** Platform addresses to enter in the carrier's own configuration. */
const Addresses = ({ title, children }: { title: string; children: ReactNode }) => {
  const [isOpened, setOpened] = useState(false)
  return (
    <details className={styles['addresses']} onToggle={({ currentTarget }) => currentTarget.open && setOpened(true)}>
      <summary>{title}</summary>
      {isOpened && children}
    </details>
  )
}

interface AddressesProps {
  service_provider_sid: string
}

/** The addresses of the SBCs. */
export const SbcAddresses = (props: AddressesProps) => (
  <Addresses title="Have your carrier send calls to these addresses">
    <SbcList {...props} />
  </Addresses>
)

/** The addresses of the SMPP servers. */
export const SmppAddresses = (props: AddressesProps) => (
  <Addresses title="Have your carrier send messages to these addresses">
    <SmppList {...props} />
  </Addresses>
)
