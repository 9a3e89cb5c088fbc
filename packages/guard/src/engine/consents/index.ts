export { consentId, type ConsentOffer, type ConsentRequest, findConsents, type FoundConsents, sayConsent } from "./find.ts";
