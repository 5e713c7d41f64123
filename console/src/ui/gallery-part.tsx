import type { ReactNode } from 'react'
import styles from './gallery.module.css'

const vendors = [
  'Google',
  'AWS',
  'Microsoft',
  'Deepgram',
  'Nuance',
  'Nvidia',
  'IBM',
  'Soniox',
  'Cobalt',
  'Speechmatics',
  'AssemblyAI',
  'ElevenLabs',
]
export const voices = vendors.flatMap((vendor) =>
  ['Anna', 'Ben', 'Cora'].map((voice) => ({
    value: `${vendor} ${voice}`,
    label: `${voice} (${vendor})`,
    group: vendor,
  })),
)
export const accounts = vendors.map((name) => ({ value: name, label: `${name} GmbH` }))

/** A titled part of the gallery. */
export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.part}>
    <h2>{title}</h2>
    {children}
  </section>
)
