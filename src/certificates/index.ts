/** The independent checker of certificates: it shares no code with the bounds that wrote them (docs/bounds.md). */

export { checkCertificate, judgeCertificate } from './check-certificate.ts';
export type { CertificateVerdict } from './verdict.ts';
