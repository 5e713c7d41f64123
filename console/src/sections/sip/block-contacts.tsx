import type { BlockContact } from '@patchbay/rules/sip/network-block'
import styles from './block-contacts.module.css'

const schemes = { url: '', tel: 'tel:', email: 'mailto:' } as const
const labels = { url: 'Website', tel: 'Phone', email: 'E-mail' } as const

/** Links to the contacts of a network that blocked a call. The contract accepts only https, E.164, and e-mail. */
export const BlockContacts = ({ contacts }: { contacts: readonly BlockContact[] | undefined }) =>
  contacts === undefined || contacts.length === 0 ? null : (
    <ul aria-label="Contacts for an objection" className={styles['contacts']}>
      {contacts.map(({ kind, value }) => (
        <li key={`${kind} ${value}`}>
          {labels[kind]}:{' '}
          <a href={`${schemes[kind]}${value}`} {...(kind === 'url' ? { target: '_blank', rel: 'noreferrer' } : {})}>
            {value}
          </a>
        </li>
      ))}
    </ul>
  )
