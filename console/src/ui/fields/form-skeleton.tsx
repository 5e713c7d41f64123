import { Skeleton } from '../skeleton.tsx'
import frame from './form-layout.module.css'

export interface FormSkeletonProps {
  sections: number
}

/** Placeholder shapes for a form while its record loads. */
export const FormSkeleton = ({ sections }: FormSkeletonProps) => (
  <div className={frame.form}>
    <output className="visually-hidden">Loading…</output>
    {Array.from({ length: sections }, (_, section) => (
      // oxlint-disable-next-line react/no-array-index-key -- they have no identity
      <div key={section} className={frame.section} aria-hidden="true">
        <Skeleton shape="title" />
        <Skeleton shape="field" count={3} />
      </div>
    ))}
  </div>
)
