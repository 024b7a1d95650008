//! The secrets of the journal: what is only compared is kept as a hash, what must be sent in clear is encrypted.
//!
//! ```
//! use gm_grpc::journal::secrets::{fingerprint, is};
//! let kept = fingerprint("a team's API secret");
//! assert!(is("a team's API secret", &kept) && !is("a guess", &kept));
//! ```
//!
//! Cars are sent the secret of C-20, so it must be known in clear. Whoever finds a copy of the database has nothing
//! without the key, which is elsewhere: in the environment, or in a file of its own that a backup can leave out.

use super::directory::DataDirectory;
use super::error::JournalError;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use rand::TryRng;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// The environment variable with the key, as 64 hex digits. It goes before the key file.
pub const KEY_VARIABLE: &str = "GM_KEY";

/// The length of a key, in bytes.
const KEY_LENGTH: usize = 32;
/// The length of a nonce, in bytes: long enough to be drawn at random each time.
const NONCE_LENGTH: usize = 24;
/// The first byte of what is encrypted: in which way it is. There is one so far.
const XCHACHA20_POLY1305: u8 = 1;
/// The most bytes of a key file that are read: a key, and more than an editor adds.
const LONGEST_KEY_FILE: u64 = 1_024;

/// What is kept of a secret that is only compared: its SHA-256.
///
/// A fast hash without salt is right for these: API secrets are drawn at random and have 128 bits or more, so they
/// can't be guessed one after the other, however fast that goes. It would be wrong for what people think up.
#[must_use]
pub fn fingerprint(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// Whether a secret is the one with this fingerprint. Takes as long for any two: how much of it was right can't be
/// told from the time.
#[must_use]
pub fn is(secret: &str, kept: &[u8; 32]) -> bool {
    let differences = fingerprint(secret).iter().zip(kept).fold(0, |all, (a, b)| all | (a ^ b));
    std::hint::black_box(differences) == 0
}

/// The key that secrets are encrypted with.
pub struct Key {
    cipher: XChaCha20Poly1305,
    /// What goes before what is digested, so that nobody without the key can try what it was.
    salt: [u8; 32],
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    /// The key from the environment variable [`GM_KEY`](KEY_VARIABLE) (64 hex digits), or without it from the file
    /// `key` in the data directory, which is made if it is not there; only its owner can read it.
    ///
    /// # Errors
    /// [`JournalError::Key`] if one of them is not a key, or if there is none and the directory is only looked at;
    /// [`JournalError::Directory`] if the file can't be read or made.
    pub fn load_or_create(directory: &DataDirectory) -> Result<Key, JournalError> {
        Key::from(std::env::var_os(KEY_VARIABLE), directory)
    }

    /// Whether the key that secrets here are encrypted with can be there: another one is not made in its place.
    ///
    /// # Errors
    /// [`JournalError::Key`] if there is none.
    pub(super) fn must_be_there(directory: &DataDirectory) -> Result<(), JournalError> {
        let file = directory.key_file();
        if std::env::var_os(KEY_VARIABLE).is_some() || file.exists() {
            return Ok(());
        }
        Err(JournalError::Key(format!(
            "{} is missing, and the secrets of the races here are encrypted with it. Put it back from a copy of the \
             directory, or set {KEY_VARIABLE}; if it is lost, begin anew with another --data",
            file.display()
        )))
    }

    fn from(variable: Option<OsString>, directory: &DataDirectory) -> Result<Key, JournalError> {
        if let Some(text) = variable {
            return text.to_str().and_then(Key::parse).ok_or_else(|| {
                JournalError::Key(format!(
                    "the environment variable {KEY_VARIABLE} does not hold one. Set it to 64 hex digits (`openssl rand \
                     -hex 32` makes some), or unset it, and the file `key` of the data directory is used"
                ))
            });
        }
        let file = directory.key_file();
        let unusable = |what: &str, error: &io::Error| JournalError::Directory {
            directory: directory.path().to_owned(),
            because: format!("the key file in it can't be {what} ({})", error.kind()),
        };
        match read(&file) {
            Ok(text) => Key::parse(text.trim()).ok_or_else(|| {
                JournalError::Key(format!(
                    "{} does not hold one: 64 hex digits. Restore it from a copy; without it, the secrets of the \
                     races that are here can't be read any more",
                    file.display()
                ))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound && directory.is_held() => {
                Key::create(directory).map_err(|error| unusable("made", &error))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(JournalError::Key(format!(
                "there is none: set {KEY_VARIABLE} to the one that the game master of this directory has"
            ))),
            Err(error) => Err(unusable("read", &error)),
        }
    }

    /// Makes a key and its file. The file is there with all of the key or not at all: half a key would lock up
    /// everything that is encrypted with it.
    fn create(directory: &DataDirectory) -> io::Result<Key> {
        let mut bytes = [0; KEY_LENGTH];
        rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(io::Error::other)?;
        // Such a file can be read by its owner only.
        let mut file = tempfile::NamedTempFile::new_in(directory.path())?;
        writeln!(file, "{}", hex::encode(bytes))?;
        file.as_file().sync_all()?;
        file.persist_noclobber(directory.key_file())?;
        directory.sync()?;
        Ok(Key::of(bytes))
    }

    fn of(bytes: [u8; KEY_LENGTH]) -> Key {
        let salt = Sha256::new().chain_update(b"what is digested").chain_update(bytes).finalize().into();
        Key { cipher: XChaCha20Poly1305::new(&bytes.into()), salt }
    }

    fn parse(text: &str) -> Option<Key> {
        let mut bytes = [0; KEY_LENGTH];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Key::of(bytes))
    }

    /// A digest by which something is known again, and from which nobody without the key can find out what it was.
    #[must_use]
    pub fn digest(&self, clear: &[u8]) -> [u8; 32] {
        // Twice, so that a digest can't be gone on with either.
        let inner = Sha256::new().chain_update(self.salt).chain_update(clear).finalize();
        Sha256::new().chain_update(self.salt).chain_update(inner).finalize().into()
    }

    /// Encrypts a secret. `what` says whose it is (`race gm-7f3a team 3`), and must be said again to decrypt it: the
    /// secret of one team, copied to another's place in the database, is no secret there.
    ///
    /// What comes out is 41 bytes longer than the secret, and another each time.
    #[must_use]
    pub fn encrypt(&self, what: &[u8], clear: &[u8]) -> Vec<u8> {
        let nonce: [u8; NONCE_LENGTH] = rand::random();
        let sealed = self
            .cipher
            .encrypt(&XNonce::from(nonce), Payload { msg: clear, aad: what })
            .expect("the cipher takes everything below 256 GiB");
        [&[XCHACHA20_POLY1305], nonce.as_slice(), &sealed].concat()
    }

    /// Decrypts a secret.
    ///
    /// # Errors
    /// [`JournalError::Key`] if it was encrypted with another key or for somebody else, or is damaged: which of them
    /// can't be told.
    pub fn decrypt(&self, what: &[u8], sealed: &[u8]) -> Result<Vec<u8>, JournalError> {
        self.unsealed(what, sealed).ok_or_else(|| {
            JournalError::Key(format!(
                "the secret of {} was encrypted with another one, or is damaged. Set {KEY_VARIABLE}, or restore the \
                 file `key` of the data directory, as it was when the race began; else give the team a new secret",
                what.escape_ascii()
            ))
        })
    }

    fn unsealed(&self, what: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (&[XCHACHA20_POLY1305], rest) = sealed.split_first_chunk()? else { return None };
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_LENGTH>()?;
        self.cipher.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: what }).ok()
    }
}

/// The text of a key file.
fn read(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            tracing::warn!(file = %path.display(), "others can read the key of the secrets: `chmod 600` it");
        }
    }
    let mut bytes = Vec::new();
    file.take(LONGEST_KEY_FILE).read_to_end(&mut bytes)?;
    // What is not text is not a key either, and is refused as one of the wrong form.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    const WHAT: &[u8] = b"race gm-7f3a team 3";
    const CLEAR: &[u8] = b"a secret of a car";

    fn key(byte: u8) -> Key {
        Key::of([byte; KEY_LENGTH])
    }

    fn directory() -> (TempDir, DataDirectory) {
        let place = tempfile::tempdir().unwrap();
        let directory = DataDirectory::open(place.path()).unwrap();
        (place, directory)
    }

    #[test]
    fn a_fingerprint_is_sha_256_and_fits_its_secret_only() {
        // From FIPS 180-2: it must not change, what is stored is compared with it.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex::encode(fingerprint("abc")), abc);
        assert!(is("abc", &fingerprint("abc")));
        assert!(!is("abd", &fingerprint("abc")));
        assert!(!is("", &fingerprint("abc")));
        for place in 0..32 {
            let mut other = fingerprint("abc");
            other[place] ^= 0x80;
            assert!(!is("abc", &other), "byte {place} counts");
        }
    }

    #[test]
    fn what_is_encrypted_can_be_decrypted() {
        for clear in [b"".as_slice(), b"\0", CLEAR, &[0xff; 5_000]] {
            let sealed = key(1).encrypt(WHAT, clear);
            assert_eq!(sealed.len(), clear.len() + 41);
            assert_eq!(key(1).decrypt(WHAT, &sealed).unwrap(), clear);
        }
        let (one, other) = (key(1).encrypt(WHAT, CLEAR), key(1).encrypt(WHAT, CLEAR));
        assert_ne!(one, other, "equal secrets can't be told from what is stored");
        assert!(!one.windows(CLEAR.len()).any(|part| part == CLEAR));
    }

    /// What is stored was encrypted once and must be readable for ever.
    #[test]
    fn the_stored_form_stays_as_it_is() {
        let stored = hex::decode(STORED.concat()).unwrap();
        assert_eq!(key(7).decrypt(WHAT, &stored).unwrap(), CLEAR);
    }

    /// The version; the nonce; the secret; the cipher's tag. Made with libsodium.
    const STORED: [&str; 4] = [
        "01",
        "000102030405060708090a0b0c0d0e0f1011121314151617",
        "c937d8e0996e3ed105a8e76787c2cccd2d",
        "fd2efa1d105ebb4804fac51e8e56c67b",
    ];

    #[test]
    fn another_key_another_owner_and_every_change_are_found() {
        let sealed = key(1).encrypt(WHAT, CLEAR);
        check(&key(2), WHAT, &sealed);
        check(&key(1), b"race gm-7f3a team 4", &sealed);
        check(&key(1), b"", &sealed);
        for place in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[place] ^= 1 << bit;
                check(&key(1), WHAT, &changed);
            }
            check(&key(1), WHAT, &sealed[..place]);
        }
        check(&key(1), WHAT, &[sealed.as_slice(), b"\0"].concat());
        check(&key(1), WHAT, &sealed.repeat(2));
    }

    #[track_caller]
    fn check(key: &Key, what: &[u8], sealed: &[u8]) {
        let refused = key.decrypt(what, sealed).unwrap_err();
        assert!(matches!(refused, JournalError::Key(_)), "{refused:?}");
        assert!(refused.to_string().contains("GM_KEY"), "it says what to do: {refused}");
    }

    #[test]
    fn a_key_file_is_made_once_and_for_its_owner_alone() {
        let (_place, directory) = directory();
        let sealed = Key::from(None, &directory).unwrap().encrypt(WHAT, CLEAR);
        let text = fs::read_to_string(directory.key_file()).unwrap();
        assert_eq!(text.trim().len(), 64);
        assert_eq!(Key::from(None, &directory).unwrap().decrypt(WHAT, &sealed).unwrap(), CLEAR);
        assert_eq!(fs::read_to_string(directory.key_file()).unwrap(), text);
        let mut files: Vec<_> =
            fs::read_dir(directory.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        files.sort();
        assert_eq!(files, ["key", "lock"], "no temporary file is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(directory.key_file()).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn two_directories_have_two_keys() {
        let ((_one, one), (_other, other)) = (directory(), directory());
        let sealed = Key::from(None, &one).unwrap().encrypt(WHAT, CLEAR);
        check(&Key::from(None, &other).unwrap(), WHAT, &sealed);
    }

    #[test]
    fn the_environment_goes_before_the_file() {
        let (_place, directory) = directory();
        let variable = Some(OsString::from("07".repeat(32)));
        let sealed = Key::from(variable, &directory).unwrap().encrypt(WHAT, CLEAR);
        assert_eq!(key(7).decrypt(WHAT, &sealed).unwrap(), CLEAR);
        assert!(!directory.key_file().exists(), "no file is made that nobody uses");
        check(&Key::from(None, &directory).unwrap(), WHAT, &sealed);
    }

    #[test]
    fn a_key_of_the_wrong_form_is_refused_and_left_as_it_is() {
        let (_place, directory) = directory();
        let row = |text: &str, is_key: bool| {
            let by_variable = Key::from(Some(text.into()), &directory);
            assert_eq!(by_variable.is_ok(), is_key, "{text:?}");
            fs::write(directory.key_file(), format!("{text}\n")).unwrap();
            let by_file = Key::from(None, &directory);
            assert_eq!(by_file.is_ok(), is_key, "{text:?}");
            assert_eq!(fs::read_to_string(directory.key_file()).unwrap(), format!("{text}\n"));
            for refused in [by_variable, by_file].into_iter().filter_map(Result::err) {
                let words = refused.to_string();
                assert!(words.contains("64 hex digits"), "{words}");
                assert!(text.is_empty() || !words.contains(text), "a key is never shown: {words}");
            }
        };
        row(&"0a".repeat(32), true);
        row(&"0A".repeat(32), true);
        row("", false);
        row("12345", false);
        row(&"0a".repeat(31), false);
        row(&"0a".repeat(33), false);
        row(&"0g".repeat(32), false);
        row(&"é".repeat(32), false);
        fs::write(directory.key_file(), [0xff; 64]).unwrap();
        assert!(matches!(Key::from(None, &directory), Err(JournalError::Key(_))));
    }

    #[test]
    fn who_only_looks_makes_no_key() {
        let (place, directory) = directory();
        fs::write(directory.database(), "something").unwrap();
        let looked = DataDirectory::look(place.path()).unwrap();
        assert!(matches!(Key::from(None, &looked), Err(JournalError::Key(_))));
        assert!(!looked.key_file().exists());
        let sealed = Key::from(None, &directory).unwrap().encrypt(WHAT, CLEAR);
        assert_eq!(Key::from(None, &looked).unwrap().decrypt(WHAT, &sealed).unwrap(), CLEAR);
    }

    #[test]
    fn a_key_shows_nothing_of_itself() {
        assert_eq!(format!("{:?}", key(7)), "Key(…)");
    }
}
