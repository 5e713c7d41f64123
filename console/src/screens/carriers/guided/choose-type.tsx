import { connectCarrier } from '../../../routes/carriers.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import styles from './guided.module.css'
import { type TrunkKind, trunkKinds, trunkTitles } from './trunk-kinds.ts'

const hints: Readonly<Record<TrunkKind, string>> = {
  ip: 'The carrier recognizes your calls by the IP addresses of your SBCs. It gave you an IP address or a host name, and no password.',
  auth: 'The carrier asks for a user name and a password on each call that you make.',
  registration:
    'Your SBCs register with the carrier, like a phone. The carrier gave you a user name, a password, and a SIP realm.',
}

const Choice = ({ type, title, hint }: { type: string; title: string; hint: string }) => (
  <li>
    <ScreenLink to={connectCarrier} search={{ type }} className={styles['type']}>
      <strong>{title}</strong>
      <span className={styles['typeHint']}>{hint}</span>
    </ScreenLink>
  </li>
)

/** The first step: the kind of trunk, as links, so that the browser's Back returns here. */
export const ChooseType = () => (
  <FormSection title="Type of trunk" description="Your contract with the carrier says which type it is.">
    <ul className={styles['types']}>
      {trunkKinds.map((kind) => (
        <Choice key={kind} type={kind} title={trunkTitles[kind]} hint={hints[kind]} />
      ))}
      <Choice
        type="predefined"
        title="Predefined carrier"
        hint="Gateways and settings of well-known carriers. You only add your credentials."
      />
    </ul>
  </FormSection>
)
